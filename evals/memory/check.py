#!/usr/bin/env python3
"""Checks that corpus and questions are what README.md says: run it after every change to either.

It knows nothing about search. Everything that is wrong is listed, and the exit status is 1 if anything is.
"""

import collections
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
CORPUS = HERE / "corpus"
KINDS = ["paraphrase", "keyword", "multihop", "temporal", "adversarial", "identifier"]
ROLES = {"user", "assistant", "tool_use", "tool_result"}
# What a paraphrase may have in common with its answer: a name, a number, little more.
MAX_SHARED_WORDS = 2
GERMAN = set("und der die das nicht ist ich mit für auf ein eine wir sie er im zu von hat den dem sind war noch auch "
             "bei nach aus wenn wie".split())
ENGLISH = set("the and of to is it in that for with was on we i he she not at by from are this but have has had".split())
STOP = GERMAN | ENGLISH | set("a an as be been do did does if my our me us you your his her they them their what which who when "
                              "where why how there no or so up out es was wer wann wo warum des am als ab an sich uns".split())

problems = []


def demand(condition, complaint):
    if not condition:
        problems.append(complaint)


def words(text):
    return re.findall(r"[^\W_]+", text.lower())


def language(text):
    counted = collections.Counter(words(text))
    return "de" if sum(counted[w] for w in GERMAN) > sum(counted[w] for w in ENGLISH) else "en"


def transcript(path):
    """What was said in a transcript, one string for each line of a user or the assistant."""
    said, before = [], ""
    for number, row in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        line = json.loads(row)
        demand(line["role"] in ROLES, f"{where}: unknown role")
        demand(isinstance(line["content"], str), f"{where}: content is not a string")
        demand(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["timestamp"]), f"{where}: not a timestamp")
        demand(before <= line["timestamp"], f"{where}: time runs backwards")
        demand(("toolName" in line) == line["role"].startswith("tool"), f"{where}: toolName")
        before = line["timestamp"]
        if line["role"] in ("user", "assistant"):
            said.append(line["content"])
    return said


def read_corpus():
    documents = {}
    for path in sorted(CORPUS.rglob("*")):
        if path.is_file():
            name = path.relative_to(CORPUS).as_posix()
            documents[name] = transcript(path) if path.suffix == ".jsonl" else [path.read_text()]
    return documents


def check_corpus(documents):
    daily = [name for name in documents if re.fullmatch(r"memory/\d{4}-\d\d-\d\d\.md", name)]
    sessions = [name for name in documents if name.startswith("sessions/")]
    size = sum((CORPUS / name).stat().st_size for name in documents)
    german = sum(language(" ".join(texts)) == "de" for texts in documents.values())
    bullets = documents["MEMORY.md"][0].count("\n- ")
    demand(len(documents) >= 230, "fewer than 230 documents")
    demand(len(daily) >= 120, "fewer than 120 daily notes")
    demand(len(sessions) >= 60, "fewer than 60 transcripts")
    demand(bullets >= 60, "fewer than 60 bullets in MEMORY.md")
    demand(240_000 <= size <= 400_000, f"{size} bytes")
    demand(0.2 <= german / len(documents) <= 0.35, f"{german} of {len(documents)} documents are German")
    print(f"corpus: {len(documents)} documents ({len(daily)} daily notes, {len(sessions)} transcripts), "
          f"{size} bytes, {german} German, {bullets} bullets in MEMORY.md")


def check_answer(question, answer, documents):
    name, text, where = answer["path"], answer["text"], question["id"]
    if name not in documents:
        return demand(False, f"{where}: no file {name}")
    demand("\n" not in text and text == text.strip() and text, f"{where}: {text!r} is not a part of one line")
    found = sum(part.count(text) for part in documents[name])
    demand(found == 1, f"{where}: {text!r} stands {found} times in {name}")
    demand((CORPUS / name).read_text().count(text) == 1, f"{where}: {text!r} not exactly once in the bytes of {name}")
    line = next((line for part in documents[name] for line in part.split("\n") if text in line), "")
    demand(not line.startswith("#"), f"{where}: {text!r} is a heading, which says where to look and answers nothing")
    if question["kind"] == "paraphrase":
        content = set(words(text)) - STOP
        shared = content & set(words(question["q"]))
        demand(len(shared) <= MAX_SHARED_WORDS, f"{where}: shares {sorted(shared)} with {text!r}")


def check_questions(documents):
    rows = (HERE / "questions.jsonl").read_text().splitlines()
    questions = [json.loads(row) for row in rows]
    for question in questions:
        where = question["id"]
        demand(list(question) == ["id", "q", "kind", "lang", "answers", "need"], f"{where}: fields")
        demand(question["kind"] in KINDS and question["lang"] in ("en", "de"), f"{where}: kind or lang")
        demand(question["need"] == ("all" if question["kind"] == "multihop" else "any"), f"{where}: need")
        parts = [answer.get("part") for answer in question["answers"]]
        if question["need"] == "all":
            demand(None not in parts and sorted(set(parts)) == list(range(1, max(parts) + 1)), f"{where}: parts")
            demand(len(set(parts)) >= 2, f"{where}: a single hop")
        else:
            demand(set(parts) <= {None}, f"{where}: parts of what is whole")
        for answer in question["answers"]:
            check_answer(question, answer, documents)
    for field in ("id", "q"):
        for value, times in collections.Counter(question[field] for question in questions).items():
            demand(times == 1, f"{field} {value!r} is there {times} times")
    kinds = collections.Counter(question["kind"] for question in questions)
    german = sum(question["lang"] == "de" for question in questions)
    silent = sum(not question["answers"] for question in questions)
    crossing = sum(bool(q["answers"]) and all(language(" ".join(documents[a["path"]])) != q["lang"] for a in q["answers"])
                   for q in questions if all(a["path"] in documents for a in q["answers"]))
    demand(len(questions) >= 330, "fewer than 330 questions")
    demand(all(kinds[kind] >= 40 for kind in KINDS), f"too few of a kind: {dict(kinds)}")
    demand(0.2 <= german / len(questions) <= 0.35, f"{german} German questions")
    demand(silent >= 20, "fewer than 20 questions without an answer")
    print(f"questions: {len(questions)} ({', '.join(f'{kinds[kind]} {kind}' for kind in KINDS)}), {german} German, "
          f"{crossing} answered only in the other language, {silent} without an answer")


documents = read_corpus()
check_corpus(documents)
check_questions(documents)
for problem in problems:
    print("wrong:", problem)
sys.exit(bool(problems))
