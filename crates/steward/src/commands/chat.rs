//! `steward chat`: a conversation in the terminal.

use super::{
    approvals::WAITING,
    ask::{self, Ended},
    sessions,
};
use crate::terminal::say;
use crate::{
    cli::Chat,
    client::{Client, LinkError},
    hands, house,
    providers::Providers,
    setup,
    terminal::{self, Answer, Extent, Input, Screen, Shown, Typed, clean},
};
use models::{ModelRef, Models};
use protocol::{Block, Event, Fact, Outcome, SessionKey, TriggerKind, TurnId, code_of};
use std::{collections::HashSet, process::ExitCode};
use tokio::signal::unix::{SignalKind, signal};

/// How many events are looked through at once for news.
const MAX_NEWS: usize = 10_000;

/// How many turns are looked through for the latest program.
const MAX_TURNS: usize = 50;

const HELP: &str = "\
/new               begin a new conversation
/sessions [KEY]    list conversations, or continue one
/model [MODEL]     show or choose the model, as provider/model
/code              show the latest program in full
/help              this list
/quit              leave (so does Ctrl-D)

Alt-Enter or a backslash at the end of a line goes on in the next line.
Ctrl-C stops the answer; a second Ctrl-C leaves.";

pub(crate) async fn run(chat: Chat) -> anyhow::Result<ExitCode> {
    let (home, settings, environment) = house::enter()?;
    let mut client = Client::open().await?;
    client.stay();
    let input = Input::new(home.data().join("history"));
    let mut conversation = Conversation {
        seen: client.view.newest().await?,
        default_model: client.model().await?,
        client,
        own: HashSet::new(),
        screen: Screen::new(),
        session: chat.talk.session,
        model: chat.talk.model,
        interactive: input.is_interactive(),
    };
    if conversation.interactive {
        let providers = Providers::open(&home, &settings, &environment)?;
        conversation.welcome(&providers.models).await;
    }
    let code = conversation.talk(input).await?;
    conversation.client.close().await?;
    Ok(code)
}

struct Conversation {
    client: Client,
    screen: Screen,
    session: SessionKey,
    model: Option<String>,
    default_model: String,
    interactive: bool,
    /// The last event the owner knows of.
    seen: u64,
    /// The turns begun here; they were shown as they went.
    own: HashSet<TurnId>,
}

/// Whether the conversation goes on.
enum Next {
    Go,
    Leave,
}

impl Conversation {
    async fn welcome(&self, models: &Models) {
        say!("Steward {} · {} · {}", env!("CARGO_PKG_VERSION"), self.model(), self.session);
        say!("Type a message; /help shows what else there is.");
        hands::warnings().iter().for_each(|warning| say!("{warning}"));
        if self.model().parse().is_ok_and(|model: ModelRef| model.is_offline()) {
            setup::offers(models).await.iter().for_each(|offer| say!("{offer}; or say `/model` here."));
        }
        say!();
    }

    /// Tells what happened here while nobody was looking: turns begun elsewhere, or not by a message at all.
    async fn tell_news(&mut self) -> anyhow::Result<()> {
        for event in self.client.view.events_after(self.seen, MAX_NEWS).await? {
            self.seen = event.seq;
            if let Fact::Noticed { notice } = &event.fact {
                // Wherever it was said: whoever sits here is the one it is for.
                self.screen.note(&terminal::notice(notice))?;
                continue;
            }
            if event.session != self.session || self.own.contains(&event.turn) {
                continue;
            }
            match &event.fact {
                Fact::TurnStarted { trigger, .. } => {
                    let lead = if trigger.kind == TriggerKind::Message { "elsewhere> " } else { "" };
                    self.screen.note(&format!("{lead}{}", clean(&Block::text_of(&trigger.content))))?;
                }
                Fact::ModelDone { blocks, .. } => {
                    self.screen.show(&Shown::Text(Block::text_of(blocks)))?;
                    self.screen.show(&Shown::Over(Outcome::Completed))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What the model wrote last in this conversation, whether it fits or not.
    async fn latest_program(&self) -> anyhow::Result<Option<String>> {
        let turns = self.client.view.recent_turns(&self.session, MAX_TURNS).await?;
        let written = |event: &Event| match &event.fact {
            Fact::ModelDone { blocks, .. } => blocks.iter().rev().find_map(|block| match block {
                Block::Call(call) => code_of(call),
                _ => None,
            }),
            _ => None,
        };
        Ok(turns.iter().flatten().rev().find_map(written))
    }

    fn model(&self) -> String {
        self.model.clone().unwrap_or_else(|| self.default_model.clone())
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
        self.tell_news().await?;
        self.client.listen(&self.session).await?;
        if !ask::clear_the_way(&mut self.client, &self.session).await? {
            eprintln!("steward: the message was not taken: this conversation waits for your decision");
            *code = ExitCode::from(WAITING);
            return Ok(Next::Go);
        }
        let turn = match self.client.say(&self.session, &text, self.model.as_deref()).await {
            Ok(turn) => turn,
            Err(LinkError::Refused(refusal)) => {
                eprintln!("steward: {refusal}");
                return Ok(Next::Go);
            }
            Err(lost) => return Err(lost.into()),
        };
        self.own.insert(turn);
        let ended =
            ask::follow(&mut self.client, &self.session, Answer::new(turn), Some(&mut self.screen)).await?;
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
            ("sessions", "") => sessions::list(&self.client.view, 20, false).await?,
            ("sessions", key) => match SessionKey::new(key) {
                Ok(key) => {
                    self.session = key;
                    sessions::show(&self.client.view, &self.session, 3).await?;
                    say!("Continuing {}\n", self.session);
                }
                Err(error) => say!("{error}\n"),
            },
            ("code", _) => match self.latest_program().await? {
                Some(code) => say!("{}\n", self.screen.listing(&code, Extent::Whole)),
                None => say!("There is no program in this conversation yet.\n"),
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
