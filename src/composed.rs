//! Names whose accents are written in one way, as systems of files differ in how they write them.

use std::borrow::Cow;

/// By combining mark the letters that it follows, and the same letters with it.
const MARKS: [(char, &str, &str); 27] = [
    ('\u{300}', "AEIOUaeiouÜüNnЕИеиĒēŌōWwÂâĂăÊêÔôƠơƯưYy", "ÀÈÌÒÙàèìòùǛǜǸǹЀЍѐѝḔḕṐṑẀẁẦầẰằỀềỒồỜờỪừỲỳ"),
    (
        '\u{301}',
        "AEIOUYaeiouyCcLlNnRrSsZzÜüGgÅåÆæØø¨ΑΕΗΙΟΥΩϊαεηιϋουωϒГКгкÇçĒēÏïKkMmÕõŌōPpŨũWwÂâĂăÊêÔôƠơƯư",
        "ÁÉÍÓÚÝáéíóúýĆćĹĺŃńŔŕŚśŹźǗǘǴǵǺǻǼǽǾǿ΅ΆΈΉΊΌΎΏΐάέήίΰόύώϓЃЌѓќḈḉḖḗḮḯḰḱḾḿṌṍṒṓṔṕṸṹẂẃẤấẮắẾếỐốỚớỨứ",
    ),
    ('\u{302}', "AEIOUaeiouCcGgHhJjSsWwYyZzẠạẸẹỌọ", "ÂÊÎÔÛâêîôûĈĉĜĝĤĥĴĵŜŝŴŵŶŷẐẑẬậỆệỘộ"),
    ('\u{303}', "ANOanoIiUuVvÂâĂăEeÊêÔôƠơƯưYy", "ÃÑÕãñõĨĩŨũṼṽẪẫẴẵẼẽỄễỖỗỠỡỮữỸỹ"),
    ('\u{304}', "AaEeIiOoUuÜüÄäȦȧÆæǪǫÖöÕõȮȯYyИиУуGgḶḷṚṛ", "ĀāĒēĪīŌōŪūǕǖǞǟǠǡǢǣǬǭȪȫȬȭȰȱȲȳӢӣӮӯḠḡḸḹṜṝ"),
    ('\u{306}', "AaEeGgIiOoUuУИиуЖжАаЕеȨȩẠạ", "ĂăĔĕĞğĬĭŎŏŬŭЎЙйўӁӂӐӑӖӗḜḝẶặ"),
    (
        '\u{307}',
        "CcEeGgIZzAaOoBbDdFfHhMmNnPpRrSsŚśŠšṢṣTtWwXxYyſ",
        "ĊċĖėĠġİŻżȦȧȮȯḂḃḊḋḞḟḢḣṀṁṄṅṖṗṘṙṠṡṤṥṦṧṨṩṪṫẆẇẊẋẎẏẛ",
    ),
    (
        '\u{308}',
        "AEIOUaeiouyYΙΥιυϒЕІеіАаӘәЖжЗзИиОоӨөЭэУуЧчЫыHhÕõŪūWwXxt",
        "ÄËÏÖÜäëïöüÿŸΪΫϊϋϔЁЇёїӒӓӚӛӜӝӞӟӤӥӦӧӪӫӬӭӰӱӴӵӸӹḦḧṎṏṺṻẄẅẌẍẗ",
    ),
    ('\u{309}', "AaÂâĂăEeÊêIiOoÔôƠơUuƯưYy", "ẢảẨẩẲẳẺẻỂểỈỉỎỏỔổỞởỦủỬửỶỷ"),
    ('\u{30a}', "AaUuwy", "ÅåŮůẘẙ"),
    ('\u{30b}', "OoUuУу", "ŐőŰűӲӳ"),
    ('\u{30c}', "CcDdEeLlNnRrSsTtZzAaIiOoUuÜüGgKkƷʒjHh", "ČčĎďĚěĽľŇňŘřŠšŤťŽžǍǎǏǐǑǒǓǔǙǚǦǧǨǩǮǯǰȞȟ"),
    ('\u{30f}', "AaEeIiOoRrUuѴѵ", "ȀȁȄȅȈȉȌȍȐȑȔȕѶѷ"),
    ('\u{311}', "AaEeIiOoRrUu", "ȂȃȆȇȊȋȎȏȒȓȖȗ"),
    ('\u{31b}', "OoUu", "ƠơƯư"),
    ('\u{323}', "BbDdHhKkLlMmNnRrSsTtVvWwZzAaEeIiOoƠơUuƯưYy", "ḄḅḌḍḤḥḲḳḶḷṂṃṆṇṚṛṢṣṬṭṾṿẈẉẒẓẠạẸẹỊịỌọỢợỤụỰựỴỵ"),
    ('\u{324}', "Uu", "Ṳṳ"),
    ('\u{325}', "Aa", "Ḁḁ"),
    ('\u{326}', "SsTt", "ȘșȚț"),
    ('\u{327}', "CcGgKkLlNnRrSsTtEeDdHh", "ÇçĢģĶķĻļŅņŖŗŞşŢţȨȩḐḑḨḩ"),
    ('\u{328}', "AaEeIiUuOo", "ĄąĘęĮįŲųǪǫ"),
    ('\u{32d}', "DdEeLlNnTtUu", "ḒḓḘḙḼḽṊṋṰṱṶṷ"),
    ('\u{32e}', "Hh", "Ḫḫ"),
    ('\u{330}', "EeIiUu", "ḚḛḬḭṴṵ"),
    ('\u{331}', "BbDdKkLlNnRrTtZzh", "ḆḇḎḏḴḵḺḻṈṉṞṟṮṯẔẕẖ"),
    (
        '\u{3099}',
        "かきくけこさしすせそたちつてとはひふへほうゝカキクケコサシスセソタチツテトハヒフヘホウワヰヱヲヽ",
        "がぎぐげござじずぜぞだぢづでどばびぶべぼゔゞガギグゲゴザジズゼゾダヂヅデドバビブベボヴヷヸヹヺヾ",
    ),
    ('\u{309a}', "はひふへほハヒフヘホ", "ぱぴぷぺぽパピプペポ"),
];

/// The first syllable of Hangul.
const SYLLABLE: u32 = 0xac00;
/// The first of its leading consonants, of its vowels, and the place before its trailing consonants.
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11a7;

/// A text in which letters and their accents are one character where there is one, as in Unicode's form C. File systems of macOS
/// write the two apart.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    let is_apart = |letter: char| {
        MARKS.iter().any(|(mark, _, _)| *mark == letter)
            || (VOWEL..TRAILING + 28).contains(&u32::from(letter))
    };
    if text.is_ascii() || !text.chars().any(is_apart) {
        return Cow::Borrowed(text);
    }
    let mut composed = String::with_capacity(text.len());
    for letter in text.chars() {
        let whole = composed.chars().next_back().and_then(|before| joined(before, letter));
        if whole.is_some() {
            composed.pop();
        }
        composed.push(whole.unwrap_or(letter));
    }
    Cow::Owned(composed)
}

/// Two characters as one.
fn joined(first: char, second: char) -> Option<char> {
    let (one, two) = (u32::from(first), u32::from(second));
    if (LEADING..LEADING + 19).contains(&one) && (VOWEL..VOWEL + 21).contains(&two) {
        return char::from_u32(SYLLABLE + ((one - LEADING) * 21 + two - VOWEL) * 28);
    }
    let is_open = (SYLLABLE..SYLLABLE + 19 * 21 * 28).contains(&one) && (one - SYLLABLE).is_multiple_of(28);
    if is_open && (TRAILING + 1..TRAILING + 28).contains(&two) {
        return char::from_u32(one + two - TRAILING);
    }
    let (_, letters, whole) = MARKS.iter().find(|(mark, _, _)| *mark == second)?;
    let place = letters.chars().position(|letter| letter == first)?;
    whole.chars().nth(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_accents_are_joined() {
        for (apart, whole) in [
            ("cafe\u{301}", "café"),
            ("Mu\u{308}sli", "Müsli"),
            ("e\u{302}\u{301}", "ế"),
            ("\u{30ab}\u{3099}", "ガ"),
            ("\u{1112}\u{1161}\u{11ab}", "한"),
            ("и\u{306}", "й"),
            ("x\u{301}", "x\u{301}"),
            ("plain", "plain"),
        ] {
            assert_eq!(composed(apart), whole);
            assert_eq!(composed(whole), whole);
        }
    }
}
