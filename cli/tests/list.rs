//! `compressor list`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{command, run, stdout, text};
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    serde_json::from_slice(&stdout(run(args))).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn every_linked_provider_is_ready_and_lists_what_it_can_do() {
    let list = json(&["list", "--json"]);
    let providers = list["providers"].as_array().unwrap();
    let ids: Vec<&str> = providers
        .iter()
        .map(|p| p["id"].as_str().unwrap())
        .collect();
    let software =
        ["deflate", "lz4", "none", "snappy", "zstd"].map(|name| format!("software.{name}"));
    for id in ["libdeflate"]
        .into_iter()
        .chain(software.iter().map(String::as_str))
    {
        assert!(ids.contains(&id), "{ids:?}");
    }
    for provider in providers {
        assert_eq!(
            keys(provider),
            [
                "capabilities",
                "class",
                "description",
                "id",
                "params",
                "priority",
                "state",
                "why"
            ]
        );
        let software = provider["id"].as_str().unwrap().starts_with("software.");
        assert_eq!(provider["class"] == "software", software, "{provider}");
        if software {
            assert_eq!(
                (&provider["state"], &provider["priority"]),
                (&"Ready".into(), &(-1).into())
            );
        }
        for capability in provider["capabilities"].as_array().unwrap() {
            assert!(
                ["compress", "decompress"].contains(&capability["direction"].as_str().unwrap())
            );
            let levels = &capability["levels"];
            assert_eq!(
                levels.is_object(),
                capability["direction"] == "compress",
                "{capability}"
            );
        }
    }
}

#[test]
fn every_format_is_there_with_who_serves_it() {
    let list = json(&["list", "--json"]);
    let formats = list["formats"].as_array().unwrap();
    let names: Vec<&str> = formats
        .iter()
        .map(|f| f["format"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "none",
            "lz4-block",
            "lz4-sized",
            "zstd",
            "zlib",
            "deflate-raw",
            "gzip",
            "snappy"
        ]
    );
    for format in formats {
        assert!(
            format["error"].is_null() && format["software"].is_string(),
            "{format}"
        );
        assert!(format.get("considered").is_none(), "{format}");
    }
    let zlib = &formats[4];
    assert_eq!(
        (&zlib["compress"], &zlib["software"]),
        (&"libdeflate".into(), &"software.deflate".into())
    );
    assert_eq!(zlib["cassandra"], "DeflateCompressor");
    assert_eq!(
        zlib["levels"],
        serde_json::json!({"min": 0, "max": 9, "default": 6})
    );
}

#[test]
fn the_choice_is_explained() {
    let list = json(&["list", "--json", "--explain"]);
    let zlib = &list["formats"][4];
    let considered = zlib["considered"].as_array().unwrap();
    assert!(considered.contains(&serde_json::json!(
        {"direction": "compress", "provider": "libdeflate", "verdict": "chosen"}
    )));
    assert!(considered.contains(&serde_json::json!(
        {"direction": "decompress", "provider": "software.deflate", "verdict": "comes after the one chosen"}
    )));
    let table = text(&stdout(run(&["list", "--explain"])));
    assert!(table.contains("comes after the one chosen"), "{table}");
    assert!(!text(&stdout(run(&["list"]))).contains("comes after the one chosen"));
}

#[test]
fn the_environment_sets_the_choice() {
    let output = command(&["list", "--json", "--explain"])
        .env("COMPRESSOR_SOFTWARE_ONLY", "true")
        .output()
        .unwrap();
    let list: Value = serde_json::from_slice(&stdout(output)).unwrap();
    let zlib = &list["formats"][4];
    assert_eq!(zlib["compress"], "software.deflate");
    assert!(
        zlib.to_string().contains("the policy allows software only"),
        "{zlib}"
    );
}

#[test]
fn tables_have_the_same_to_tell() {
    let table = text(&stdout(run(&["list"])));
    for line in [
        "libdeflate",
        "software.zstd",
        "LZ4Compressor",
        "-131072 to 22",
        "Ready",
    ] {
        assert!(table.contains(line), "{line}: {table}");
    }
}

#[test]
fn a_calibration_is_made_and_explained() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("calibration.toml");
    let file = path.to_str().unwrap();
    let made = stdout(run(&[
        "calibrate",
        "--out",
        file,
        "--format",
        "zlib",
        "--effort",
        "speed",
    ]));
    assert!(text(&made).contains("libdeflate"), "{}", text(&made));

    let short = dir.path().join("short");
    std::fs::write(&short, "short").unwrap();
    let (short, none) = (short.to_str().unwrap(), dir.path().join("none.toml"));
    let output = run(&[
        "calibrate",
        "--out",
        none.to_str().unwrap(),
        "--sample",
        short,
    ]);
    let logged = text(&output.stderr);
    assert!(logged.contains("no compression was measured"), "{logged}");
    assert!(output.status.success());

    let explain = |file: &str| {
        let output = command(&["list", "--explain", "--json", "--effort", "speed"])
            .env("COMPRESSOR_CALIBRATION", file)
            .output()
            .unwrap();
        let list = serde_json::from_slice::<Value>(&output.stdout).unwrap();
        (list, text(&output.stderr))
    };
    let (list, logged) = explain(file);
    assert_eq!(logged, "");
    let choices = list["calibration"]["choices"].as_array().unwrap();
    assert_eq!(choices.len(), 2);
    assert_eq!(choices[0]["effort"], "speed");
    assert_eq!(list.get("calibration_error"), None);

    std::fs::write(&path, "nothing of use").unwrap();
    let (list, logged) = explain(file);
    assert!(
        logged.contains("providers are chosen by priority"),
        "{logged}"
    );
    assert_eq!(list.get("calibration"), None);
    let error = list["calibration_error"].as_str().unwrap();
    assert!(error.contains("is no calibration: line 1"), "{error}");
}

#[test]
fn a_calibration_that_is_followed_says_who_serves() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("calibration.toml");
    let file = path.to_str().unwrap();
    stdout(run(&["calibrate", "--out", file, "--format", "zlib"]));
    // As if software had been the fastest at short content.
    let mut saved: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
    let routes: toml::Table = r#"
        [[routes]]
        max_len = 1000
        provider = "software.deflate"
        [[routes]]
        provider = "libdeflate"
    "#
    .parse()
    .unwrap();
    for choice in saved["choices"].as_array_mut().unwrap() {
        choice.as_table_mut().unwrap().extend(routes.clone());
    }
    std::fs::write(&path, toml::to_string(&saved).unwrap()).unwrap();

    let list = |args: &[&str], policy: &[(&str, &str)]| {
        let mut command = command(args);
        command.env("COMPRESSOR_CALIBRATION", file);
        text(&stdout(
            command.envs(policy.iter().copied()).output().unwrap(),
        ))
    };
    let zlib = |policy: &[(&str, &str)]| -> [Value; 4] {
        let list: Value = serde_json::from_str(&list(&["list", "--json"], policy)).unwrap();
        let zlib = &list["formats"][4];
        [
            "compress",
            "compress_longer",
            "decompress",
            "decompress_longer",
        ]
        .map(|key| zlib[key].clone())
    };
    let longer = serde_json::json!([{"than": 1000, "provider": "libdeflate"}]);
    let software = Value::from("software.deflate");
    assert_eq!(
        zlib(&[]),
        [software.clone(), longer.clone(), software, longer]
    );
    let preferred = [("COMPRESSOR_PREFERENCE", "libdeflate")];
    let libdeflate = Value::from("libdeflate");
    assert_eq!(
        zlib(&preferred),
        [libdeflate.clone(), Value::Null, libdeflate, Value::Null]
    );
    let table = list(&["list", "--explain"], &[]);
    assert!(
        table.contains("software.deflate, libdeflate beyond 1000"),
        "{table}"
    );
}

#[test]
fn a_sample_that_is_not_there_or_empty_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("calibration.toml");
    let empty = dir.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    for (sample, says) in [
        (empty.to_str().unwrap(), "is empty"),
        ("/no/such/file", "cannot read the sample"),
        ("/", "cannot read the sample"),
    ] {
        let output = run(&[
            "calibrate",
            "--out",
            out.to_str().unwrap(),
            "--sample",
            sample,
        ]);
        assert_eq!(output.status.code(), Some(2));
        let line = text(&output.stderr);
        assert!(
            line.starts_with("InvalidArgument: ") && line.contains(says),
            "{line}"
        );
        assert!(!out.exists());
    }
}
