//! `steward code check`, `steward code preview`, `steward code run` and `steward licenses`, as an owner types them.

use super::world::World;

#[tokio::test]
async fn a_program_is_checked_against_the_real_tools() {
    let world = World::new().await;
    let check = async |program: &str| {
        std::fs::write(world.path("program.ts"), program).unwrap();
        let file = world.path("program.ts").display().to_string();
        let ran = world.run(&["code", "check", &file]).await;
        (ran.code, ran.out.replace(&file, "FILE"), ran.err)
    };
    let good = "const { output } = await tools.bash({ command: \"ls\" });\nreturn output.length;";
    assert_eq!(check(good).await, (Some(0), "The program fits. It names bash.\n".to_owned(), String::new()));
    let bad = "const { output } = await tools.bash({ comand: \"ls\" });\ntools.bash({ command: \"ls\" });";
    let (code, out, _) = check(bad).await;
    assert_eq!(code, Some(1));
    let said: Vec<&str> = out.lines().collect();
    assert!(
        said[0].starts_with("FILE:1:39 TS2561 ") && said[0].contains("Did you mean to write 'command'?"),
        "{out}"
    );
    assert!(said[1].starts_with("FILE:2:1 floating-promise "), "{out}");
}

#[tokio::test]
async fn what_a_program_seems_about_to_call_is_foreseen_and_not_done() {
    let world = World::new().await;
    let preview = async |program: &str| {
        std::fs::write(world.path("program.ts"), program).unwrap();
        let file = world.path("program.ts").display().to_string();
        let ran = world.run(&["code", "preview", &file]).await;
        assert_eq!(ran.err, "");
        (ran.code, ran.out.replace(&file, "FILE"))
    };
    let touch = world.path("touched").display().to_string();
    let program = format!(
        "for (const name of [\"a\", \"b\"]) {{\n  const {{ exitCode }} = await tools.bash({{ command: `touch {touch}-${{name}}` }});\n  \
         if (exitCode !== 0) throw new Error(name);\n}}"
    );
    let out = format!(
        "The program fits. Forecast, with made-up results; with real ones it may call something else:\n\
         call 0: bash {{\"command\":\"touch {touch}-a\"}}\ncall 1: bash {{\"command\":\"touch {touch}-b\"}}\n"
    );
    assert_eq!(preview(&program).await, (Some(0), out));
    assert!(!world.path("touched-a").exists());
    let endless = "for (let n = 0; ; n++) await tools.bash({ command: `echo ${n}` });";
    let (code, out) = preview(endless).await;
    assert_eq!((code, out.lines().count()), (Some(0), 42), "{out}");
    assert!(out.ends_with("There may be more: 40 calls are foreseen at most.\n"), "{out}");
    let none = "The program fits. It calls no tool.\n".to_owned();
    assert_eq!(preview("return 1 + 1;").await, (Some(0), none));
    let (code, out) = preview("await tools.bash({ comand: 1 });").await;
    assert_eq!(code, Some(1));
    assert!(out.starts_with("FILE:1:20 TS2561 "), "{out}");
}

#[tokio::test]
async fn a_program_uses_what_tools_give_as_data() {
    let world = World::new().await;
    let check = async |program: &str| {
        std::fs::write(world.path("program.ts"), program).unwrap();
        let ran = world.run(&["code", "check", &world.path("program.ts").display().to_string()]).await;
        (ran.code, ran.out)
    };
    let good = "const { paths } = await tools.glob({ pattern: \"*.md\" });\n\
                const texts = await Promise.all(paths.map(path => tools.read({ path })));\n\
                const whole = texts.filter(it => it.exact && it.next === undefined).map(it => it.text);\n\
                const { passages } = await tools.memory.search({ query: whole.join(\" \") });\n\
                return passages.filter(it => it.score > 0.5).map(it => `${it.path}:${it.lineStart} ${it.text}`);";
    assert_eq!(check(good).await, (Some(0), "The program fits. It names glob, memory, read.\n".to_owned()));
    let (code, out) = check("return (await tools.read({ path: \"a.md\" })).content;").await;
    assert!(code == Some(1) && out.contains("Property 'content' does not exist"), "{out}");
}

#[tokio::test]
async fn licenses_are_printed() {
    let world = World::new().await;
    let ran = world.run(&["licenses"]).await;
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("Apache License") && ran.out.contains("TypeScript"), "{}", ran.out);
}

#[tokio::test]
async fn a_program_is_tried_out_with_answers_from_the_command_line() {
    let world = World::new().await;
    let run = async |program: &str| {
        std::fs::write(world.path("program.ts"), program).unwrap();
        let file = world.path("program.ts").display().to_string();
        let ran = world
            .run(&["code", "run", &file, "--tool", "mail.search=[1]", "--tool", "mail.search=[2]"])
            .await;
        assert_eq!(ran.err, "");
        (ran.code, ran.out.replace(&file, "FILE"))
    };
    let good = "const pages = [];\nfor (let page = 0; page < 3; page++) {\n  pages.push(await tools.mail.search({ page }));\n}\n\
                console.log(\"\\u001b[31mread\", pages.length);\nreturn pages.flat();";
    let out = "call 0: mail.search {\"page\":0}\nanswer 0: [1]\ncall 1: mail.search {\"page\":1}\nanswer 1: [2]\n\
               call 2: mail.search {\"page\":2}\nanswer 2: [2]\nconsole: \\u{1b}[31mread 3\nresult: [1,2,2]\n";
    assert_eq!(run(good).await, (Some(0), out.to_owned()));
    let (code, out) = run("return (await tools.mail.search({}))[0].length;").await;
    assert_eq!(code, Some(2));
    assert!(out.starts_with("FILE:1:41 TS2339 "), "{out}");
    let throws = "interface Page {\n  length: number;\n}\nconst page: Page = JSON.parse(\"null\");\nreturn page.length;\n";
    let failed = "failed: line 5: TypeError: cannot read property 'length' of null\n";
    assert_eq!(run(throws).await, (Some(1), failed.to_owned()));
}

#[tokio::test]
async fn the_programs_in_the_chapter_fit_the_tools() {
    let world = World::new().await;
    let chapter = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/programs.md");
    let chapter = std::fs::read_to_string(chapter).unwrap();
    let programs: Vec<&str> =
        chapter.split("```ts\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(programs.len(), 4);
    for program in programs {
        let file = world.path("example.ts");
        std::fs::write(&file, program).unwrap();
        let ran = world.run(&["code", "check", file.to_str().unwrap()]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}\n{program}");
    }
}
