//! `steward chat`: a conversation in the terminal.

use super::{
    approvals::WAITING,
    ask::{self, Ended},
    sessions,
};
use crate::terminal::say;
use crate::{
    cli::Chat,
    hands,
    house::{self, House},
    terminal::{Input, Screen, Shown, Typed, clean},
};
use models::ModelRef;
use protocol::{Block, Fact, Outcome, SessionKey, TriggerKind};
use std::process::ExitCode;
use store::TurnRef;
use tokio::signal::unix::{SignalKind, signal};

/// How many events are looked through at once for news.
const MAX_NEWS: usize = 10_000;

const HELP: &str = "\
/new               begin a new conversation
/sessions [KEY]    list conversations, or continue one
/model [MODEL]     show or choose the model, as provider/model
/help              this list
/quit              leave (so does Ctrl-D)

Alt-Enter or a backslash at the end of a line goes on in the next line.
Ctrl-C stops the answer; a second Ctrl-C leaves.";

pub(crate) async fn run(chat: Chat) -> anyhow::Result<ExitCode> {
    let (home, _, _) = house::enter()?;
    let house = House::open().await?;
    let input = Input::new(home.data().join("history"));
    let seen = house.store.view().newest().await?;
    let mut conversation = Conversation {
        seen,
        screen: Screen::new(),
        session: chat.talk.session,
        model: chat.talk.model,
        house,
        interactive: input.is_interactive(),
    };
    if conversation.interactive {
        conversation.welcome();
    }
    let code = conversation.talk(input).await?;
    conversation.house.close().await?;
    Ok(code)
}

struct Conversation {
    house: House,
    screen: Screen,
    session: SessionKey,
    model: Option<String>,
    interactive: bool,
    /// The last event the owner knows of.
    seen: u64,
}

/// Whether the conversation goes on.
enum Next {
    Go,
    Leave,
}

impl Conversation {
    fn welcome(&self) {
        say!("Steward {} · {} · {}", env!("CARGO_PKG_VERSION"), self.model(), self.session);
        say!("Type a message; /help shows what else there is.");
        for missing in hands::detect().report().into_iter().filter(|primitive| !primitive.available) {
            say!("Warning ({}): {}.", missing.name, missing.consequence);
        }
        say!();
    }

    /// Tells what happened here while nobody was looking: turns that were not begun by a message.
    async fn tell_news(&mut self) -> anyhow::Result<()> {
        let events = self.house.store.view().events_after(self.seen, MAX_NEWS).await?;
        let mut background = Vec::new();
        for event in events {
            self.seen = event.seq;
            match &event.fact {
                _ if event.session != self.session => {}
                Fact::TurnStarted { trigger, .. } if trigger.kind != TriggerKind::Message => {
                    background.push(event.turn);
                    self.screen.note(&clean(&Block::text_of(&trigger.content)))?;
                }
                Fact::ModelDone { blocks, .. } if background.contains(&event.turn) => {
                    self.screen.show(&Shown::Text(Block::text_of(blocks)))?;
                    self.screen.show(&Shown::Over(Outcome::Completed))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn model(&self) -> String {
        self.model.clone().unwrap_or_else(|| self.house.model.to_string())
    }

    async fn talk(&mut self, mut input: Input) -> anyhow::Result<ExitCode> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut leaving = false;
        let mut code = ExitCode::SUCCESS;
        loop {
            self.tell_news().await?;
            // The editor blocks; it gets a thread while it waits.
            let reading = tokio::task::spawn_blocking(move || {
                let typed = input.read();
                (input, typed)
            });
            let (back, typed) = tokio::select! {
                read = reading => read?,
                _ = terminate.recv() => {
                    // The editor cannot be called back; the terminal must not stay as it left it.
                    crossterm::terminal::disable_raw_mode().ok();
                    return Ok(code);
                }
            };
            input = back;
            let line = match typed? {
                Typed::End => return Ok(code),
                Typed::Interrupt if leaving => return Ok(code),
                Typed::Interrupt => {
                    leaving = true;
                    say!("Ctrl-C again leaves.");
                    continue;
                }
                Typed::Line(line) => line.trim().to_owned(),
            };
            leaving = false;
            let next = match line.strip_prefix('/') {
                _ if line.is_empty() => Next::Go,
                Some(command) => self.command(command).await?,
                None => self.say(line, &mut code).await?,
            };
            if matches!(next, Next::Leave) {
                return Ok(code);
            }
        }
    }

    async fn say(&mut self, text: String, code: &mut ExitCode) -> anyhow::Result<Next> {
        let mut feed = self.house.store.subscribe_from_now();
        if !ask::clear_the_way(&self.house, &self.session).await? {
            eprintln!("steward: the message was not taken: this conversation waits for your decision");
            *code = ExitCode::from(WAITING);
            return Ok(Next::Go);
        }
        let accepted = match self.house.say(&self.session, text, self.model.clone()).await {
            Ok(accepted) => accepted,
            Err(error) => {
                eprintln!("steward: {error:#}");
                return Ok(Next::Go);
            }
        };
        let at = TurnRef { session: self.session.clone(), turn: accepted.turn };
        let ended = ask::follow(&self.house, &mut feed, &at, Some(&mut self.screen)).await?;
        self.house.write_transcripts().await;
        match ended {
            Ended::Stopped => return Ok(Next::Leave),
            Ended::Waiting => *code = ExitCode::from(WAITING),
            Ended::Over(_, outcome) => {
                let told = ask::tell(&outcome);
                // A script learns of a failure; somebody who types has seen it.
                if !self.interactive && matches!(outcome, Outcome::Failed { .. }) {
                    *code = told;
                }
            }
        }
        if self.interactive {
            say!();
        }
        Ok(Next::Go)
    }

    async fn command(&mut self, command: &str) -> anyhow::Result<Next> {
        let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        match (name, argument.trim()) {
            ("help", _) => say!("{HELP}\n"),
            ("quit" | "exit", _) => return Ok(Next::Leave),
            ("new", _) => {
                self.session = SessionKey::new(format!("terminal--{}", uuid::Uuid::now_v7()))?;
                say!("A new conversation: {}\n", self.session);
            }
            ("sessions", "") => sessions::list(self.house.store.view(), 20, false).await?,
            ("sessions", key) => match SessionKey::new(key) {
                Ok(key) => {
                    self.session = key;
                    sessions::show(self.house.store.view(), &self.session, 3).await?;
                    say!("Continuing {}\n", self.session);
                }
                Err(error) => say!("{error}\n"),
            },
            ("model", "") => say!("{}\n", self.model()),
            ("model", reference) => match reference.parse::<ModelRef>() {
                Ok(model) => {
                    say!("From now on: {model}\n");
                    self.model = Some(model.to_string());
                }
                Err(error) => say!("{error}\n"),
            },
            (other, _) => say!("There is no /{other}. /help lists what there is.\n"),
        }
        Ok(Next::Go)
    }
}
