//! `hype import FILE` says what a file is and the command that imports it, and asks for what only its author knows.

use std::fs;
use std::path::Path;

use crate::program::{fails, hype};
use crate::tidy;

/// Imports a file as it is; returns its rows, and the words of the command that does it again.
fn recognized(folder: &Path, name: &str) -> (Vec<String>, String) {
    let output = hype(folder, &["import", name, "-o", "scores.csv"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {said}");
    let again = said.lines().find_map(|line| line.strip_prefix("the same again: hype import ")).unwrap();
    let rows = tidy::lines(&folder.join("scores.csv"));
    let again = again.strip_suffix(" -o scores.csv").unwrap().to_owned();
    (rows, again)
}

fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in command.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

/// A file, the command that reads it, and its first and its number of rows.
type Case = (&'static str, &'static str, &'static str, &'static str, usize);

const CASES: [Case; 32] = [
    (
        "ratings.csv",
        "annotator_id,system,image,quality,time\nr1,gan,1.png,4,3.2\nr2,gan,1.png,3,9.1\nr1,vae,1.png,2,1.0\n",
        "csv ratings.csv --rater annotator_id --model system --item image --value quality",
        "r1|gan||1.png|0|quality|4",
        3,
    ),
    (
        "two.tsv",
        "Participant\tModel\tPrompt ID\tAlignment\tAesthetics\tseed\np1\ta\t7\t4\t5\t123456\np1\tb\t7\t2\t3\t99\n",
        "csv two.tsv --rater Participant --model Model --item 'Prompt ID' --value Alignment --value Aesthetics",
        "p1|a||7|0|Alignment|4",
        4,
    ),
    (
        "export.csv",
        "rater,model,against,item,block,measure,value\nr1,a,b,1,0,preference,1\nr2,a,b,1,0,preference,0\n",
        "csv export.csv --rater rater --model model --item item --against against --measure measure --value value --block block",
        "r1|a|b|1|0|preference|1",
        2,
    ),
    (
        "folders.csv",
        "worker,image,realism\nw1,out/sdxl/1.png,4\nw1,out/vq/1.png,2\nw2,out/sdxl/2.png,5\nw2,out/vq/2.png,1\n",
        "csv folders.csv --rater worker --parts 'image=*/{model}/{item}.png' --value realism",
        "w1|sdxl||1|0|realism|4",
        4,
    ),
    (
        "arena.jsonl",
        "{\"model_a\": \"x\", \"model_b\": \"y\", \"winner\": \"model_a\", \"judge\": \"j1\", \"question_id\": 4}\n\
         {\"model_a\": \"y\", \"model_b\": \"x\", \"winner\": \"tie (bothbad)\", \"judge\": \"j1\", \"question_id\": 5}\n",
        "csv arena.jsonl --rater judge --model model_a --against model_b --item question_id --winner winner --tie 'tie (bothbad)'",
        "j1|x|y|4|0|preference|1",
        2,
    ),
    (
        "sides.csv",
        "id,left,right,preferred\n1,x,y,left\n2,y,x,right\n3,x,y,both\n",
        "csv sides.csv --model left --against right --item id --winner preferred --first left --second right --tie both",
        "vote-1|x|y|1|0|preference|1|made-up|",
        3,
    ),
    (
        "halves.csv",
        "u,model_a,model_b,label_0\n3,x,y,1.0\n3,y,x,0.5\n4,x,y,0.0\n",
        "csv halves.csv --model model_a --against model_b --winner label_0 --first 1 --second 0 --tie 0.5",
        "vote-1|x|y|line-2|0|preference|1|made-up|",
        3,
    ),
    (
        "votes.csv",
        "prompt_id,model,vote_1,vote_2,vote_3\np1,a,4,5,3\np1,b,2,,1\n",
        "csv votes.csv --model model --item prompt_id --columns 'vote_{vote}'",
        "vote-1|a||p1|0|value|4|made-up|",
        5,
    ),
    (
        "raters.csv",
        "image,model,rater1,rater2\n1,a,4,5\n1,b,2,1\n",
        "csv raters.csv --model model --item image --columns 'rater{rater}'",
        "1|a||1|0|value|4",
        4,
    ),
    (
        "two.csv",
        "rater,item,model,rating1,rating2\na,1,sdxl,4,3\nb,1,sdxl,4,2\na,1,flux,2,3\nb,1,flux,1,2\n",
        "csv two.csv --rater rater --model model --item item --value rating1 --value rating2",
        "a|sdxl||1|0|rating1|4",
        8,
    ),
    (
        "survey.csv",
        "Timestamp,participant,img01_sdxl,img01_dalle,img02_sdxl,img02_dalle\n1,R1,4,2,5,3\n2,R2,3,1,4,2\n",
        "csv survey.csv --rater participant --columns '{item}_{model}'",
        "R1|sdxl||img01|0|value|4",
        8,
    ),
    (
        "lists.json",
        r#"[{"model": "a", "item": "1", "ratings": [4, 5, 3]}, {"model": "b", "item": "1", "ratings": [2, 1]}]"#,
        "csv lists.json --model model --item item --value ratings --lists",
        "vote-1|a||1|0|ratings|4|made-up|",
        5,
    ),
    (
        "studio.json",
        r#"[{"id": 1, "data": {"image": "s/sdxl/1.png"}, "annotations": [{"id": 1, "completed_by": 3, "result":
            [{"from_name": "quality", "type": "rating", "value": {"rating": 4}}]}, {"id": 2, "completed_by": 4, "result":
            [{"from_name": "quality", "type": "rating", "value": {"rating": 5}}]}]},
            {"id": 2, "data": {"image": "s/vq/1.png"}, "annotations": [{"id": 3, "completed_by": 3, "result":
            [{"from_name": "quality", "type": "rating", "value": {"rating": 2}}]}, {"id": 4, "completed_by": 4, "result": []}]}]"#,
        "csv studio.json --rater annotator --parts 'image=*/{model}/{item}.png' --value quality",
        "3|sdxl||1|0|quality|4",
        3,
    ),
    (
        "studio.csv",
        "annotation_id,annotator,created_at,id,lead_time,left_image,pw,right_image\n1,3,2024,1,2.5,/d/a/1.png,left,/d/b/1.png\n\
         2,4,2024,1,2.5,/d/a/1.png,right,/d/b/1.png\n3,3,2024,2,2.5,/d/b/2.png,left,/d/a/2.png\n4,4,2024,2,2.5,/d/b/2.png,left,/d/a/2.png\n",
        "csv studio.csv --rater annotator --parts 'left_image=*/{model}/{item}.png' --parts 'right_image=*/{against}/{item}.png' --winner pw \
         --first left --second right",
        "3|a|b|1|0|preference|1",
        4,
    ),
    (
        "jspsych.csv",
        "rt,stimulus,response,trial_type,trial_index,time_elapsed,subject\n\
         1,\"<p>Hi</p>\",0,html-keyboard-response,0,9,s1\n2,img/a/1.png,3,image-slider-response,1,9,s1\n\
         3,img/b/1.png,5,image-slider-response,2,9,s1\n2,img/a/2.png,3,image-slider-response,1,9,s2\n\
         3,img/b/2.png,1,image-slider-response,2,9,s2\n2,,\"{\"\"Q0\"\": 1}\",survey-likert,3,9,s2\n",
        "csv jspsych.csv --rater subject --parts 'stimulus=*/{model}/{item}.png' --value response --where \
         trial_type=image-slider-response",
        "s1|a||1|0|response|3",
        4,
    ),
    (
        "potato.tsv",
        "user\tinstance_id\tmodel\tquality:::scale_1\tquality:::scale_2\tquality:::scale_3\nann\ti1\ta\t\t\t3\nann\ti1\tb\t1\t\t\n",
        "csv potato.tsv --rater user --model model --item instance_id --value quality",
        "ann|a||i1|0|quality|3",
        2,
    ),
    (
        "mushra.csv",
        "session_test_id,email,session_uuid,trial_id,rating_stimulus,rating_score,rating_time,rating_comment\n\
         t,,u1,tr1,reference,100,5,\nt,,u1,tr1,C1,40,5,\n",
        "csv mushra.csv --rater session_uuid --item trial_id --model rating_stimulus --value rating_score",
        "u1|reference||tr1|0|rating_score|100",
        2,
    ),
    (
        "batch.csv",
        "HITId,AssignmentId,WorkerId,AssignmentStatus,Input.model,Input.image_url,Answer.quality\nH,A1,W1,Approved,m1,1.png,4\n\
         H,A2,W2,Approved,m2,1.png,2\n",
        "mturk-csv batch.csv --model Input.model --item Input.image_url --answer quality",
        "W1|m1||1.png|0|quality|4",
        2,
    ),
    (
        "gill.tsv",
        "caption\tDecisions\na cat\tgen,ret,same\na dog\tgen,gen,ret\n",
        "votes gill.tsv --decisions Decisions --compare gen,ret --item caption",
        "vote-1|gen|ret|a cat|0|preference|1|made-up|",
        6,
    ),
    (
        "ranks.json",
        r#"[{"prompt": "a cat", "image_path": ["sdxl/1.jpg", "flux/1.jpg"], "rank": [0, 1]},
            {"prompt": "a dog", "image_path": ["sdxl/2.jpg", "flux/2.jpg"], "rank": [1, 0]}]"#,
        "ranking-json ranks.json --item prompt --candidates image_path --ranks rank --model-folder",
        "unnamed|sdxl||a cat|0|rank|1|made-up|",
        4,
    ),
    (
        "hpd.json",
        r#"[{"prompt": "a cat", "image_path": ["sdxl/1.jpg", "flux/1.jpg"], "human_preference": [1, 0], "rank": [1, 2]},
            {"prompt": "a dog", "image_path": ["sdxl/2.jpg", "flux/2.jpg"], "human_preference": [0, 1], "rank": [2, 1]}]"#,
        "ranking-json hpd.json --item prompt --candidates image_path --ranks rank --model-folder",
        "unnamed|sdxl||a cat|0|rank|1|made-up|",
        4,
    ),
    (
        "local.csv",
        "annotation_id,annotator,id,lead_time,left_image,pw,right_image\n1,3,1,2.5,/data/local-files/?d=d/a/1.png,left,/data/local-files/?d=d/b/1.png\n\
         2,4,1,2.5,/data/local-files/?d=d/a/1.png,right,/data/local-files/?d=d/b/1.png\n3,3,2,2.5,/data/local-files/?d=d/b/2.png,left,/data/local-files/?d=d/a/2.png\n\
         4,4,2,2.5,/data/local-files/?d=d/b/2.png,left,/data/local-files/?d=d/a/2.png\n",
        "csv local.csv --rater annotator --parts 'left_image=*/{model}/{item}.png' --parts 'right_image=*/{against}/{item}.png' --winner pw \
         --first left --second right",
        "3|a|b|1|0|preference|1",
        4,
    ),
    (
        "stars.csv",
        "annotation_id,annotator,id,image,lead_time,quality\n1,3,1,s/a/1.png,5.1,\"[{\"\"rating\"\": 4}]\"\n2,4,1,s/a/1.png,5.1,\"[{\"\"rating\"\": 5}]\"\n\
         3,3,2,s/b/1.png,5.1,\"[{\"\"rating\"\": 2}]\"\n4,4,2,s/b/1.png,5.1,\"[{\"\"rating\"\": 1}]\"\n",
        "csv stars.csv --rater annotator --parts 'image=*/{model}/{item}.png' --value quality --lists",
        "3|a||1|0|quality|4",
        4,
    ),
    (
        "chosen.csv",
        "annotation_id,annotator,id,lead_time,left_image,pw,right_image\n1,3,1,2.5,d/a/1.png,\"[{\"\"selected\"\": \"\"left\"\"}]\",d/b/1.png\n\
         2,4,1,2.5,d/a/1.png,\"[{\"\"selected\"\": \"\"right\"\"}]\",d/b/1.png\n3,3,2,2.5,d/b/2.png,\"[{\"\"selected\"\": \"\"left\"\"}]\",d/a/2.png\n\
         4,4,2,2.5,d/b/2.png,\"[{\"\"selected\"\": \"\"left\"\"}]\",d/a/2.png\n",
        "csv chosen.csv --rater annotator --parts 'left_image=*/{model}/{item}.png' --parts 'right_image=*/{against}/{item}.png' --winner pw \
         --lists --first left --second right",
        "3|a|b|1|0|preference|1",
        4,
    ),
    (
        "signed.csv",
        "worker,image,realism\nw1,https://b/s/sdxl/1.png?sig=a1.2,4\nw1,https://b/s/vq/1.png?sig=b3.4,2\n\
         w2,https://b/s/sdxl/1.png?sig=c5.6,5\nw2,https://b/s/vq/1.png?sig=d7.8,1\n",
        "csv signed.csv --rater worker --parts 'image=*/{model}/{item}.png?*' --value realism",
        "w1|sdxl||1|0|realism|4",
        4,
    ),
    (
        "windows.csv",
        "worker,image,realism\nw1,C:\\out\\sdxl\\1.png,4\nw1,C:\\out\\vq\\1.png,2\nw2,C:\\out\\sdxl\\1.png,5\nw2,C:\\out\\vq\\1.png,1\n",
        "csv windows.csv --rater worker --parts 'image=*\\{model}\\{item}.png' --value realism",
        "w1|sdxl||1|0|realism|4",
        4,
    ),
    (
        "onehot.csv",
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n7,x,y,1,0,0\n8,y,x,0,1,0\n9,x,y,0,0,1\n",
        "csv onehot.csv --model model_a --against model_b --item id --winner 'winner_model_a|winner_model_b|winner_tie'",
        "vote-1|x|y|7|0|preference|1|made-up|",
        3,
    ),
    (
        "pickapic.csv",
        "caption,label_0,label_1,model_0,model_1,user_id\na cat,1,0,x,y,u1\na dog,0.5,0.5,x,y,u1\na cow,0,1,y,x,u2\n",
        "csv pickapic.csv --rater user_id --model model_0 --against model_1 --item caption --winner label_0 --first 1 --second 0 --tie 0.5",
        "u1|x|y|a cat|0|preference|1",
        3,
    ),
    (
        "battles.jsonl",
        "{\"id\": \"q1\", \"model_a\": \"x\", \"model_b\": \"y\", \"winner\": \"both_bad\"}\n\
         {\"id\": \"q2\", \"model_a\": \"y\", \"model_b\": \"x\", \"winner\": \"tie\"}\n\
         {\"id\": \"q3\", \"model_a\": \"y\", \"model_b\": \"x\", \"winner\": \"model_b\"}\n",
        "csv battles.jsonl --model model_a --against model_b --item id --winner winner --tie both_bad --tie tie",
        "vote-1|x|y|q1|0|preference|0.5|made-up|",
        3,
    ),
    (
        "form.csv",
        "participant,img01_sdxl,img01_vq,img02_sdxl,img02_vq,attention_check,age_years\nR1,4,2,5,3,5,31\nR2,3,1,4,2,5,40\n",
        "csv form.csv --rater participant --columns '{item}_{model:sdxl|vq}'",
        "R1|sdxl||img01|0|value|4",
        8,
    ),
    (
        "pairs.csv",
        "AssignmentId,WorkerId,AssignmentStatus,Input.image_a,Input.image_b,Answer.choice\nA1,W1,Approved,d/x/1.png,d/y/1.png,A\n\
         A2,W2,Rejected,d/x/1.png,d/y/1.png,B\nA3,W1,Submitted,d/y/2.png,d/x/2.png,B\nA4,W3,Approved,d/y/2.png,d/x/2.png,A\n",
        "csv pairs.csv --rater WorkerId --parts 'Input.image_a=*/{model}/{item}.png' --parts 'Input.image_b=*/{against}/{item}.png' \
         --winner Answer.choice --where 'AssignmentStatus!=Rejected'",
        "W1|x|y|1|0|preference|1",
        3,
    ),
    (
        "halves-de.csv",
        "rater,model,item,score\na,x,1,\"4,5\"\na,y,1,\"3,25\"\n",
        "csv halves-de.csv --rater rater --model model --item item --value score --decimal-comma",
        "a|x||1|0|score|4.5",
        2,
    ),
];

#[test]
fn recognized_files_are_imported_by_the_suggested_command() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut wrong = Vec::new();
    for (name, text, command, first, count) in CASES {
        fs::write(folder.join(name), text).unwrap();
        let (rows, again) = recognized(folder, name);
        if again != command || rows.first().map(String::as_str) != Some(first) || rows.len() != count {
            wrong.push(format!("{name}: {again}\n  {:?} ({})", rows.first(), rows.len()));
            continue;
        }
        let call: Vec<String> = words(&again);
        let call: Vec<&str> = call.iter().map(String::as_str).collect();
        let output = hype(folder, &[&["import"], &call[..], &["-o", "again.csv"]].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let [one, two] = ["scores.csv", "again.csv"].map(|name| fs::read(folder.join(name)).unwrap());
        assert_eq!(one, two, "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn questions_are_left_to_the_author() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let cases: [(&str, &str, &[&str]); 10] = [
        (
            "words.csv",
            "rater,model,item,quality\na,x,1,good\nb,x,1,poor\n",
            &["the order of the answers in `quality` (good, poor)", "--options 'quality=FIRST|SECOND|…'"],
        ),
        ("scores.csv", "image,score\n1.png,3\n2.png,4\n", &["the model: --model COLUMN (of image, score)"]),
        (
            "matrix.csv",
            "4,5,3\n2,1,2\n5,5,4\n",
            &[
                "a matrix of numbers without a header",
                "--columns '{rater}' if each is a rater",
                "--no-header",
            ],
        ),
        ("matrix.txt", "4.0 5.0 3.0\n2.0 1.0 2.0\n", &["a matrix of numbers", "--delimiter ' '"]),
        (
            "codes.csv",
            "left,right,winner\nx,y,0\ny,x,1\nx,y,-1\n",
            &["what `winner` means (-1, 0, 1)", "--first LABEL --second LABEL"],
        ),
        (
            "survey.csv",
            "who,cats_sdxl,cats_vq,dogs_sdxl,dogs_vq\nr1,1,2,3,4\nr2,2,3,4,5\n",
            &["which part of the columns is the model (cats, dogs; or sdxl, vq)", "'{model}_{item}'"],
        ),
        (
            "anonymous.json",
            r#"[{"id": "1", "generations": ["a/1_0.webp", "a/1_1.webp"], "ranking": [1, 2]},
                {"id": "2", "generations": ["b/2_0.webp", "b/2_1.webp"], "ranking": [2, 1]},
                {"id": "3", "generations": ["b/3_0.webp", "b/3_1.webp"], "ranking": [2, 1]}]"#,
            &["names and folders name none"],
        ),
        (
            "named.csv",
            "model,image,Anna,Björn\nx,1.png,4,3\ny,1.png,2,5\n",
            &["what `Anna` and `Björn` are: --columns '{rater}' if they are raters", "--value 'Anna'"],
        ),
        (
            "wide.csv",
            "participant,item,sdxl,flux\np1,1,3,4\np1,2,3,5\n",
            &["what `sdxl` and `flux` are: --columns '{model}' if they are models"],
        ),
        ("other.csv", "city,country\nParis,France\n", &["nothing in it looks like ratings", "city, country"]),
    ];
    for (name, text, parts) in cases {
        fs::write(folder.join(name), text).unwrap();
        let said = fails(folder, &["import", name]);
        for part in parts {
            assert!(said.contains(part), "{name}: {said}");
        }
        assert!(said.lines().count() <= 5, "{said}");
    }
    fs::write(folder.join("db.csv"), b"SQLite format 3\0").unwrap();
    assert!(fails(folder, &["import", "db.csv"]).contains("an SQLite database"));
}

/// Imports by words of a command with single quotation marks; returns the rows.
fn imported(folder: &Path, command: &str) -> (Vec<String>, String) {
    let call = words(command);
    let call: Vec<&str> = call.iter().map(String::as_str).collect();
    let output = hype(folder, &[&["import"], &call[..], &["-o", "scores.csv"]].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    (tidy::lines(&folder.join("scores.csv")), said)
}

#[test]
fn previews_and_rows_that_sum_up_are_no_judgments() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let head = "Status,Finished,ResponseId,img01_sdxl,img01_vq,img02_sdxl,img02_vq\nStatus,Finished,Response ID,Q,Q,Q,Q\n\
                \"{\"\"ImportId\"\":\"\"status\"\"}\",\"{\"\"ImportId\"\":\"\"finished\"\"}\",\"{\"\"ImportId\"\":\"\"_recordId\"\"}\",\
                \"{\"\"ImportId\"\":\"\"QID1\"\"}\",\"{\"\"ImportId\"\":\"\"QID2\"\"}\",\"{\"\"ImportId\"\":\"\"QID3\"\"}\",\"{\"\"ImportId\"\":\"\"QID4\"\"}\"\n";
    let people = "IP Address,True,R1,4,2,5,3\nSurvey Preview,True,R2,1,1,1,1\nIP Address,False,R3,4,,,\n";
    fs::write(folder.join("q.csv"), format!("{head}{people}")).unwrap();
    let (rows, again) = recognized(folder, "q.csv");
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert!(again.ends_with("--where 'Status!=Survey Preview' --where Finished=True"), "{again}");

    let text = "rater,model,item,score\na,x,1,4\na,y,1,3\nb,x,1,2\nmean,mean,,3.0\n";
    fs::write(folder.join("sums.csv"), text).unwrap();
    let said = fails(folder, &["import", "sums.csv"]);
    assert!(said.contains("line 5, column `model`") && said.contains("--where 'model!=mean'"), "{said}");

    // Where nothing is called a mean, `SD` is a model: Stable Diffusion.
    let text = "rater,model,item,score\na,SD,1,4\na,DALLE,1,3\nb,SD,1,2\nb,DALLE,1,5\n";
    let call = "csv models.csv --rater rater --model model --item item --value score";
    fs::write(folder.join("models.csv"), text).unwrap();
    assert_eq!(imported(folder, call).0.len(), 4);
    fs::write(folder.join("models.csv"), format!("{text}mean,mean,,3.5\nsd,sd,,1.3\n")).unwrap();
    let said = fails(folder, &call.split(' ').fold(vec!["import"], |call, word| [call, vec![word]].concat()));
    assert!(said.contains("line 6") && said.contains("--where 'model!=mean' --where 'model!=sd'"), "{said}");

    let text = "rater,model,item,score\na,x,1,4\na,y,1,3\nb,x,1,-99\nb,y,1,5\nc,x,1,-99\nc,y,1,1\n";
    fs::write(folder.join("codes.csv"), text).unwrap();
    let call = "csv codes.csv --rater rater --model model --item item --value score";
    let (_, said) = imported(folder, call);
    let note = "-99 is there 2 times in `score`, whose other values are 1 to 5: if it stands for a missing answer, add --where 'score!=-99'";
    assert!(said.contains(note), "{said}");
}

#[test]
fn patterns_that_fit_other_questions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "participant,img01_sdxl,img01_vq,img02_sdxl,img02_vq,attention_check\nR1,4,2,5,3,5\n";
    fs::write(folder.join("f.csv"), text).unwrap();
    let said =
        fails(folder, &["import", "csv", "f.csv", "--rater", "participant", "--columns", "{item}_{model}"]);
    assert!(said.contains("`attention_check`") && said.contains("{model:sdxl|vq}"), "{said}");
}

#[test]
fn files_beside_those_of_answers_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("answers.csv"), "rater,model,item,score\na,x,1,4\nb,x,1,3\n").unwrap();
    for name in ["._answers.csv", "~$answers.xlsx", "README.txt"] {
        fs::write(data.join(name), "nothing").unwrap();
    }
    assert_eq!(recognized(folder, "data").0.len(), 2);
    for (user, value) in [("ann", 3), ("ben", 1)] {
        let own = folder.join("annotation_output").join(user);
        fs::create_dir_all(&own).unwrap();
        let line = format!(
            "{{\"id\": \"i1\", \"model\": \"x\", \"displayed_text\": \"x\", \"label_annotations\": {{\"quality\": {{\"scale_{value}\": \
             \"{value}\"}}}}}}\n"
        );
        fs::write(own.join("annotated_instances.jsonl"), line).unwrap();
        fs::write(own.join("annotation_order.txt"), "i1\n").unwrap();
        fs::write(own.join("assigned_user_data.json"), "{\"i1\": {\"text\": \"x\"}}").unwrap();
    }
    let (rows, again) = recognized(folder, "annotation_output");
    assert_eq!((rows[0].as_str(), rows.len()), ("ann|x||i1|0|quality|3", 2));
    assert!(again.contains("--rater-by folder"), "{again}");
    let (rows, _) = recognized(folder, "annotation_output/ben/annotated_instances.jsonl");
    assert_eq!(rows, ["ben|x||i1|0|quality|1"]);
}

#[test]
fn cells_hold_several_answers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "who,model,item,score\na|b|c,x,1,4|5|3\na,x,2,\"[2, 1]\"\nd,x,3,NaN\nd,x,4,\"{\"\"fun\"\": 3, \"\"fit\"\": [2]}\"\n";
    fs::write(folder.join("l.csv"), text).unwrap();
    let (rows, said) =
        imported(folder, "csv l.csv --rater who --model model --item item --value score --lists");
    let want = [
        "a|x||1|0|score|4",
        "b|x||1|0|score|5",
        "c|x||1|0|score|3",
        "a|x||2|0|score|2",
        "a|x||2|1|score|1",
        "d|x||4|0|fit|2",
        "d|x||4|0|fun|3",
    ];
    assert_eq!(rows, want);
    assert!(said.contains("missing values (NaN): 1"), "{said}");
    let said = fails(
        folder,
        &[
            "import", "csv", "l.csv", "--rater", "who", "--model", "model", "--item", "item", "--value",
            "score",
        ],
    );
    assert!(said.contains("--lists"), "{said}");
}

#[test]
fn matrices_have_raters_in_columns_or_in_rows() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("m.csv"), "4,5,3\n2,,2\n").unwrap();
    let (rows, _) = imported(folder, "csv m.csv --no-header --columns '{rater}' --model-name gan");
    let want = [
        "1|gan||line-1|0|value|4",
        "2|gan||line-1|0|value|5",
        "3|gan||line-1|0|value|3",
        "1|gan||line-2|0|value|2",
        "3|gan||line-2|0|value|2",
    ];
    assert_eq!(rows, want);
    let (rows, said) = imported(folder, "csv m.csv --no-header --columns '{item}' --model-name gan");
    assert_eq!(rows[3], "line-2|gan||1|0|value|2");
    assert!(said.contains("each row is one rater"), "{said}");
}

#[test]
fn models_are_joined_constant_or_parts_of_a_cell() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "who,alg,q,alg2,q2,won,scene\na,jxl,85,avif,85,jxl-85,s\nb,jxl,85,jxl,50,jxl-50,s\nb,jxl,50,jxl,50,tie,s\n";
    fs::write(folder.join("p.csv"), text).unwrap();
    let (rows, said) = imported(
        folder,
        "csv p.csv --rater who --model alg --model q --against alg2 --against q2 --item scene --winner won",
    );
    assert_eq!(rows, ["a|jxl-85|avif-85|s|0|preference|1", "b|jxl-85|jxl-50|s|0|preference|0"]);
    assert!(said.contains("comparisons of a model with itself: 1"), "{said}");
    fs::write(folder.join("f.csv"), "who,file,v\na,sdxl_01.png,3\na,vq_gan_02.png,4\n").unwrap();
    let call = "csv f.csv --rater who --value v --parts";
    let (rows, _) = imported(folder, &format!("{call} 'file={{model:sdxl|vq_gan}}_{{item}}.png'"));
    assert_eq!(rows, ["a|sdxl||01|0|v|3", "a|vq_gan||02|0|v|4"]);
    let call = words(call);
    let call: Vec<&str> = call.iter().map(String::as_str).collect();
    let said = fails(folder, &[&["import"], &call[..], &["file={model}_{item}.png"]].concat());
    assert!(said.contains("line 3, column `file`") && said.contains("in 2 ways"), "{said}");
    let said = fails(folder, &[&["import"], &call[..], &["file={model}-{item}"]].concat());
    assert!(said.contains("is not written as `{model}-{item}`"), "{said}");
    let said = fails(folder, &[&["import"], &call[..], &["file={item}.png"]].concat());
    assert!(said.contains("nothing names the model") && said.contains("--model-name"), "{said}");
}

#[test]
fn rows_are_selected_by_their_cells() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("t.csv"),
        "who,model,kind,v\na,x,test,3\na,y,practice,4\nb,x,1.0,5\nb,y,test,oops\n",
    )
    .unwrap();
    let call = "csv t.csv --rater who --model model --value v";
    let (rows, said) = imported(folder, &format!("{call} --where 'kind=test|1' --where v!=oops"));
    assert_eq!(rows, ["a|x|||0|v|3", "b|x|||0|v|5"]);
    assert!(said.contains("left out: rows that --where leaves out: 2"), "{said}");
    let (rows, _) = imported(folder, &format!("{call} --where kind=practice"));
    assert_eq!(rows.len(), 1);
    let words = words(call);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = fails(folder, &[&["import"], &words[..], &["--where", "knd=test"]].concat());
    assert!(said.contains("no column `knd`") && said.contains("did you mean `kind`"), "{said}");
}

#[test]
fn files_are_raters_and_folders_are_read_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (user, value) in [("ann", 3), ("ben", 1)] {
        fs::create_dir_all(folder.join("out").join(user)).unwrap();
        let line = |model: &str, value: u32| {
            format!(
                "{{\"id\": \"i1\", \"model\": \"{model}\", \"displayed_text\": \"x\", \"label_annotations\": {{\"quality\": {{\"scale_{value}\": \
                 \"{value}\"}}}}}}\n"
            )
        };
        let text = line("a", value) + &line("b", 2);
        fs::write(folder.join("out").join(user).join("annotated_instances.jsonl"), text).unwrap();
    }
    let (rows, again) = recognized(folder, "out");
    assert_eq!(rows[0], "ann|a||i1|0|quality|3");
    assert_eq!(rows.len(), 4);
    assert!(again.contains("--rater-by folder"), "{again}");
    fs::create_dir(folder.join("data")).unwrap();
    for (name, value) in [("s1", 3), ("s2", 4)] {
        fs::write(
            folder.join("data").join(format!("{name}.csv")),
            format!("model,item,score\na,1,{value}\nb,1,2\n"),
        )
        .unwrap();
    }
    let (rows, _) = recognized(folder, "data");
    assert_eq!(rows, ["s1|a||1|0|score|3", "s1|b||1|0|score|2", "s2|a||1|0|score|4", "s2|b||1|0|score|2"]);
}
