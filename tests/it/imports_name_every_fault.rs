//! A faulty file is refused as a whole. Every fault is reported with its place and a solution, and the output file
//! stays unchanged.

#![allow(dead_code, clippy::unwrap_used, unreachable_pub, missing_docs, reason = "a test")]

use crate::program;

use std::fs;

/// The file, its text, the command, and the expected messages.
type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const CSV: &[&str] = &["csv", "t.csv", "--rater", "rater", "--model", "model", "--value", "value"];
const ARENA: &[&str] =
    &["csv", "t.csv", "--rater", "rater", "--model", "model", "--against", "against", "--winner", "winner"];
const VOTES: &[&str] =
    &["votes", "t.csv", "--decisions", "votes", "--item", "item", "--labels", "gen,ret,same"];
const HUB: &[&str] = &["imagenhub", "r1.tsv"];
const TURK: &[&str] = &["mturk-csv", "t.csv", "--model", "net", "--answer", "q", "--heim", "alignment=a"];
const HEIM: &[&str] = &["heim-jsonl", "aesthetics.jsonl"];
const RANK: &[&str] = &["ranking-json", "r.json"];

const CASES: &[Case] = &[
    (
        "t.csv",
        "rater,model,value\na,x,1\nb,,2\n,x,y\nc,x\n\nd,x,inf\n",
        CSV,
        &[
            "5 faults",
            "t.csv, line 3, column `model`: the model is empty",
            "t.csv, line 4, column `rater`: the rater is empty",
            "t.csv, line 4, column `value`: \"y\" is not a finite number",
            "t.csv, line 5: the row has 2 cells, but the table has 3 columns",
            "t.csv, line 7, column `value`: \"inf\" is not a finite number",
        ],
    ),
    ("t.csv", "", CSV, &["t.csv is empty"]),
    ("t.csv", "rater,modle,value\n", CSV, &["there is no column `model`; did you mean `modle`?"]),
    ("t.csv", "rater,model,value,value\na,b,1,2\n", CSV, &["there are two columns `value`"]),
    (
        "t.csv",
        "rater,model,against,winner\nj,x,y,z\nj,x,x,a\nj,x,,a\nj,a,b,a\nj,b,a,a\n",
        ARENA,
        &[
            "3 faults",
            "line 2, column `winner`: the winner is \"z\"; write a, b or tie, or one of the models x and y",
            "line 4, column `winner`: there is no second model",
            "line 6, column `winner`: the winner \"a\" is both a model's name and the label of something else",
        ],
    ),
    (
        "t.csv",
        "item,votes\np,\"gen,rte\"\np,gen\n,ret\n",
        VOTES,
        &[
            "3 faults",
            "line 2, column `votes`: unknown vote \"rte\"; the labels are gen, ret, same",
            "line 3, column `item`: \"p\" is already on line 2",
            "line 4, column `item`: the item is empty",
        ],
    ),
    (
        "r1.tsv",
        "uid\tDALLE\tSD\na\t[1,1]\t[0.7,1]\na\t[1]\t(1,1)\n\t[1,1]\t[1,1]\nb\t[1,1]\nc\t[1,x]\t[-1,1]\t\nd\t[1,1]\t[1,1]\tz\n",
        HUB,
        &[
            "9 faults",
            "r1.tsv, line 2, column `SD`: SC is 0.7; write 0, 0.5 or 1, or pass --any-values",
            "r1.tsv, line 3, column `uid`: a is already on line 2",
            "r1.tsv, line 3, column `DALLE`: the cell is \"[1]\"; write [SC, PQ], such as [0.5, 1]",
            "r1.tsv, line 3, column `SD`: the cell is \"(1,1)\"",
            "r1.tsv, line 4, column `uid`: the item has no name",
            "r1.tsv, line 5: the row has 1 cell for 2 models",
            "r1.tsv, line 6, column `DALLE`: PQ is \"x\", which is not a number",
            "r1.tsv, line 6, column `SD`: SC is -1",
            "r1.tsv, line 7: the row has 3 cells for 2 models",
        ],
    ),
    (
        "r1.tsv",
        "id\tSD\na\t[1,1]\n",
        HUB,
        &["r1.tsv, line 1: the header is \"id\\tSD\"; begin with the header"],
    ),
    ("r1.tsv", "uid\tSD\tSD\na\t[1,1]\t[1,1]\n", HUB, &["column `SD`: there are two columns `SD`"]),
    ("r1.tsv", "", HUB, &["r1.tsv: the file is empty"]),
    (
        "t.csv",
        "AssignmentId,WorkerId,AssignmentStatus,Input.net,Answer.q,Answer.a.0.on,Answer.a.1.on\n\
         A1,W1,Approved,sd,3,true,false\n\
         A2,,Approved,sd,many,true,true\n\
         A3,W3,Lost,,1,maybe,false\n\
         A1,W1,Approved,sd,4,true,false\n",
        TURK,
        &[
            "7 faults",
            "line 3, column `WorkerId`: the worker has no id",
            "line 3, column `Answer.q`: \"many\" is not a number",
            "line 3, column `Answer.a.1.on`: a second option of the same question is chosen",
            "line 4, column `AssignmentStatus`: the status is \"lost\"",
            "line 4, column `Answer.a.0.on`: the choice is \"maybe\"",
            "line 4, column `Input.net`: no model is named",
            "line 5, column `AssignmentId`: assignment A1 has different content in t.csv, line 2",
        ],
    ),
    (
        "t.csv",
        "AssignmentId,WorkerId,AssignmentStatus,Input.net,Answer.q,Answer.a\nA1,W1,Approved,sd,1,Matches exacly\nA2,W1,Approved,sd,1,0\n",
        TURK,
        &[
            "2 faults",
            "line 2, column `Answer.a`: the answer is \"Matches exacly\"; write a score from 1 to 5, or one of: Does not",
            "line 3, column `Answer.a`: the answer is \"0\"",
        ],
    ),
    (
        "t.csv",
        "AssignmentId,WorkerId,AssignmentStatus,Input.net,Answer.x\n",
        TURK,
        &["there is no column `Answer.a`"],
    ),
    (
        "aesthetics.jsonl",
        "{\"image_path\": \"o/a.png\", \"human_annotations\": [0, 5, \"x\"]}\n[1]\n{\"image_path\": \"a.png\", \
         \"human_annotations\": [1]}\n{\"human_annotations\": [1]}\n{oops\n",
        HEIM,
        &[
            "7 faults",
            "line 1, column `human_annotations`: 5 is not the code of an answer; answers about aesthetics are coded from 0 to 4",
            "line 1, column `human_annotations`: \"x\" is not the code of an answer",
            "line 2: not a JSON object",
            "line 3, column `image_path`: the field is empty",
            "line 4, column `image_path`: the field is missing; the fields are human_annotations",
            "line 5: not valid JSON",
        ],
    ),
    (
        "r.json",
        r#"[{"id": "a", "generations": ["x", "y"], "ranking": [1, 2]},
            {"id": "b", "generations": ["x", "y"], "ranking": [1]},
            {"id": "c", "generations": ["x", "y"], "ranking": [0, 1]},
            {"id": "d", "generations": ["x", "y"], "ranking": [1.5, 1]},
            {"id": "e", "generations": ["x", "x"], "ranking": [1, 2]},
            {"id": "f", "generations": ["x", null], "ranking": [1, 2]},
            {"id": "g", "generations": "x", "ranking": [1, 2]},
            {"id": "", "generations": ["x", "y"], "ranking": [1, 2]},
            {"id": "h", "generations": ["x", "y"], "ranks": [1, 2]},
            {"id": "i", "generations": ["x"], "ranking": [1]},
            7]"#,
        RANK,
        &[
            "10 faults",
            "row 2, column `ranking`: 1 ranks for 2 candidates",
            "row 3, column `ranking`: ranks count from 0 in row 3, and not in row 1; write all rankings in one way",
            "row 4, column `ranking`: [1.5,1] are not valid ranks; ranks are whole numbers from 0 or 1, the best lowest",
            "row 5, column `generations`: two candidates name the same model",
            "row 6, column `generations`: null names no model",
            "row 7, column `generations`: not a list",
            "row 8, column `id`: not a text",
            "row 9, column `ranking`: the field is missing; the fields are generations, id, ranks",
            "row 10, column `ranking`: 1 ranks for 1 candidates",
            "row 11: not an object",
        ],
    ),
    ("r.json", "{\"id\": 1}", RANK, &["r.json, line 1: invalid type: map, expected a list of rankings"]),
    (
        "r.json",
        "[{\"id\": \"a\", \"generations\": [\"x\", \"y\"], \"ranking\": [1, 2]}",
        RANK,
        &["EOF while parsing"],
    ),
];

#[test]
fn faulty_files_are_refused_as_a_whole() {
    for (name, text, command, expected) in CASES {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        fs::write(folder.path().join("out.csv"), "as it was").unwrap();
        let message = program::fails(folder.path(), &[&["import"], *command, &["-o", "out.csv"]].concat());
        for expected in *expected {
            assert!(message.contains(expected), "{name}, {text:?}\nwanted: {expected}\ntold: {message}");
        }
        assert_eq!(fs::read_to_string(folder.path().join("out.csv")).unwrap(), "as it was");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "{name} leaves files behind");
        // Standard output gets no partial table either.
        let output = program::hype(folder.path(), &[&["import"], *command].concat());
        assert!(output.stdout.is_empty(), "{name}");
    }
}

#[test]
fn arguments_must_fit_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let batch = "AssignmentId,WorkerId,AssignmentStatus,Input.net,Answer.q,Answer.r\n";
    fs::write(folder.join("t.csv"), batch).unwrap();
    fs::write(folder.join("v.csv"), "item,votes\n").unwrap();
    fs::write(folder.join("x.jsonl"), "").unwrap();
    for (command, expected) in [
        (
            &["mturk-csv", "t.csv", "--model", "net"][..],
            "select answers with --answer or --heim; the answers are q, r",
        ),
        (&["mturk-csv", "t.csv", "--answer", "q"], "--model, --model-folder or --model-name"),
        (
            &["mturk-csv", "t.csv", "--model", "net", "--heim", "beauty"],
            "HEIM has no aspect `beauty`; the aspects are alignment",
        ),
        (&["mturk-csv", "t.csv", "--model", "net", "--options", "q=a|b"], "where NAME is one of --answer"),
        (&["heim-jsonl", "x.jsonl"], "is not named after one of HEIM's aspects"),
        (&["votes", "v.csv", "--decisions", "votes", "--labels", "a,a"], "is repeated"),
        (&["votes", "v.csv", "--decisions", "votes", "--labels", "a,b", "--confident"], "three labels"),
        (&["imagenhub", "absent.tsv"], "absent.tsv: "),
        (&["imagenhub", "."], ". has no .tsv files"),
    ] {
        let message = program::fails(folder, &[&["import"], command].concat());
        assert!(message.contains(expected), "{command:?}: {message}");
    }
}

#[test]
fn irregular_tables_of_imagenhub_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let table = "\u{feff}uid\tSD \tDALLE\r\n a.jpg\t[ 0.5 ,1]\t\r\n\r\nb.jpg\t[1.0,.5]\t [0,1] \t";
    fs::write(folder.join("ann.tsv"), table).unwrap();
    fs::write(folder.join("ben.tsv"), "uid\tSD\na.jpg\t[1,1]").unwrap();
    let call = ["import", "imagenhub", "ann.tsv", "ben.tsv"];
    let output = program::hype(folder, &call);
    let (out, expected) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let want = "rater,model,against,item,block,measure,value\n\
        ann,SD,,a.jpg,0,SC,0.5\nann,SD,,a.jpg,0,PQ,1.0\nann,SD,,a.jpg,0,O,0.7071067811865476\n\
        ann,SD,,b.jpg,0,SC,1.0\nann,SD,,b.jpg,0,PQ,0.5\nann,SD,,b.jpg,0,O,0.7071067811865476\n\
        ann,DALLE,,b.jpg,0,SC,0.0\nann,DALLE,,b.jpg,0,PQ,1.0\nann,DALLE,,b.jpg,0,O,0.0\n\
        ben,SD,,a.jpg,0,SC,1.0\nben,SD,,a.jpg,0,PQ,1.0\nben,SD,,a.jpg,0,O,1.0\n";
    assert_eq!(out, want);
    for message in [
        "read 3 rows in 2 files",
        "left out: empty cells: 1",
        "ben.tsv lacks 1 of 2 models, such as DALLE",
        "ben.tsv lacks 1 of 2 items, such as b.jpg",
    ] {
        assert!(expected.contains(message), "{expected}");
    }
    fs::write(folder.join("ann.tsv"), "uid\tSD\na.jpg\t[2,8]\n").unwrap();
    let out = program::succeeds(folder, &["import", "imagenhub", "ann.tsv", "--any-values"]);
    assert!(out.ends_with("ann,SD,,a.jpg,0,O,4.0\n"), "{out}");
}
