//! Searching: by words in the index, by meaning among the vectors, and both lists as one. What the scores mean together
//! is decided in `fusion`, what a query asks for in `query`.

use crate::{
    error::MemoryError,
    fusion::{Opinion, fuse},
    index::{Index, Passage},
    kind::Kind,
    matrix::{Matrix, cosine},
    memory::{Memory, Reader},
    query::{Plan, Weighed, plan, spaced_out, terms},
    settings::MemorySettings,
    vectors::{VectorModel, unit},
};
use serde::Serialize;
use std::collections::HashMap;

/// Answers to one search; more would not be read.
pub const MAX_HITS: usize = 100;

/// Passages either search brings in: enough that what is good by both is in both lists.
const CANDIDATES: usize = 200;

/// Bytes read before a search answers, if many files are new at once: about a second. The rest is said to be missing.
const MAX_INLINE_BYTES: u64 = 16 * 1024 * 1024;

/// Passages turned into vectors before a search answers: about a second.
const MAX_INLINE_PASSAGES: usize = 32;

/// Bytes of a query that are turned into a vector: more than a model takes in.
const MAX_QUERY_BYTES: usize = 2_000;

/// Letters from which on the beginning of a word stands for it, if nothing holds the word itself.
const MIN_PREFIX_LETTERS: usize = 4;

/// Different words that one beginning may stand for.
const MAX_PREFIX_WORDS: usize = 50;

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// In plain words.
    pub text: String,
    /// Only in these parts of memory; in all if none is named.
    pub kinds: Vec<Kind>,
    /// At most so many; otherwise as many as is set.
    pub limit: Option<usize>,
    /// In the place of the one that is set.
    pub min_score: Option<f32>,
    /// Whether an answer now is better than the best one: from the index as it is, and by words alone while the model is
    /// not loaded. Loading it is then begun, if there is anything to search.
    pub in_haste: bool,
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Found {
    /// The best first.
    pub hits: Vec<Hit>,
    /// In plain words, what could not be searched.
    pub remark: Option<String>,
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// The file, as `get` takes it.
    pub path: String,
    /// The first line, counted from 1.
    pub line_start: usize,
    /// The last line.
    pub line_end: usize,
    /// The passage as it stands there.
    pub excerpt: String,
    /// The part of memory.
    pub kind: Kind,
    /// From 0 to 1.
    pub score: f32,
    /// Whether words of strangers may have had a part in it.
    pub untrusted: bool,
}

impl Memory {
    /// The passages that answer a query best. Files that changed are indexed first. Blocks.
    pub fn search(&self, query: &Query) -> Result<Found, MemoryError> {
        if !query.text.contains(char::is_alphanumeric) {
            return Err(MemoryError::EmptyQuery);
        }
        self.retrying(|| self.search_once(query))
    }

    fn search_once(&self, query: &Query) -> Result<Found, MemoryError> {
        if query.in_haste && !self.settings().index.exists() {
            return Ok(Found::default());
        }
        // Opening it may find that it is empty.
        self.with_reader(|_| Ok(()))?;
        let mut left = 0;
        if !query.in_haste && self.needs_sync() {
            left = self.sync_text(MAX_INLINE_BYTES, &mut |_| true)?.left;
        }
        let chunks = self.with_reader(|reader| reader.index.chunk_count())?;
        if chunks == 0 || !self.with_reader(|reader| reader.index.has_kinds(&query.kinds))? {
            return Ok(Found { hits: Vec::new(), remark: reading_remark(left) });
        }
        let vector = match query.in_haste && !self.vectors().is_ready() {
            true => Err(self.make_ready()),
            false => self.query_vector(query)?,
        };
        let pending = self.with_reader(|reader| reader.index.pending_count())?;
        let remark = match &vector {
            Err(why) => Some(format!("keyword search only: {why}")),
            Ok(_) if pending > 0 => {
                Some(format!("still indexing: {} of {chunks} passages", chunks.saturating_sub(pending)))
            }
            Ok(_) => None,
        };
        let settings = self.settings();
        let hits = self.with_reader(|reader| {
            Search { reader, settings, query, chunks }
                .run(vector.as_ref().ok().map(|(model, it)| (model, it.as_slice())))
        })?;
        let remarks: Vec<String> = [reading_remark(left), remark].into_iter().flatten().collect();
        Ok(Found { hits, remark: (!remarks.is_empty()).then(|| remarks.join("; ")) })
    }

    /// The query as a vector, after what is new and little was turned into vectors too.
    fn query_vector(&self, query: &Query) -> Result<Result<(VectorModel, Vec<f32>), String>, MemoryError> {
        let model = match self.vectors().model() {
            Ok(model) => model,
            Err(why) => return Ok(Err(why)),
        };
        let (known, pending) =
            self.with_reader(|reader| Ok((reader.index.model()?, reader.index.pending_count()?)))?;
        // Much that is new is left to whoever works behind the scenes, if somebody does.
        let little = pending <= MAX_INLINE_PASSAGES || !self.is_attended();
        if known.as_deref() != Some(&model.fingerprint) || (pending > 0 && little && !query.in_haste) {
            self.embed_pending(if little { MAX_INLINE_PASSAGES } else { 0 }, &mut |_| true)?;
        }
        let text = &query.text[..query.text.floor_char_boundary(MAX_QUERY_BYTES)];
        let vector = match self.vectors().embed(&[text]) {
            Ok(vectors) => vectors.into_iter().next(),
            Err(why) => return Ok(Err(why)),
        };
        let vector = vector.filter(|it| it.len() == model.dimensions).and_then(|it| unit(&it));
        Ok(vector.map(|it| (model, it)).ok_or_else(|| "the model made no vector of the query".into()))
    }

    /// Has the model loaded for whoever searches next. Says why this search goes without.
    fn make_ready(&self) -> String {
        let memory = self.clone();
        let loading = std::thread::Builder::new().name("embedding".into()).spawn(move || {
            if let Err(why) = memory.vectors().embed(&["ready"]) {
                tracing::debug!(why, "the model could not be made ready");
            }
        });
        match loading {
            Ok(_) => "the model is being loaded".into(),
            Err(error) => format!("the model could not be loaded: {error}"),
        }
    }
}

fn reading_remark(left: usize) -> Option<String> {
    (left > 0).then(|| format!("{left} files are not read yet: search again, or index them now"))
}

/// One search, with all it needs.
struct Search<'a> {
    reader: &'a mut Reader,
    settings: &'a MemorySettings,
    query: &'a Query,
    /// Passages in all.
    chunks: usize,
}

impl Search<'_> {
    fn run(mut self, vector: Option<(&VectorModel, &[f32])>) -> Result<Vec<Hit>, MemoryError> {
        let terms = terms(&self.query.text);
        let mut opinions: HashMap<i64, Opinion> = HashMap::new();
        for (chunk, score) in self.by_words(&terms)? {
            opinions.entry(chunk).or_default().keyword = score;
        }
        if let Some((model, vector)) = vector {
            let near: HashMap<i64, f32> = self.by_meaning(model, vector)?.into_iter().collect();
            // What only the words found has a vector too, further away.
            let far: Vec<i64> = opinions.keys().filter(|chunk| !near.contains_key(chunk)).copied().collect();
            for chunk in far {
                let row = self.reader.index.vector_of_passage(&model.fingerprint, chunk)?;
                let near = row.map_or(0.0, |row| {
                    cosine(row.bytes.iter().map(|byte| byte.cast_signed()), row.scale, vector)
                });
                opinions.entry(chunk).or_default().vector = near.clamp(0.0, 1.0);
            }
            for (chunk, near) in near {
                opinions.entry(chunk).or_default().vector = near.clamp(0.0, 1.0);
            }
        }
        self.answers(&opinions, vector.is_some())
    }

    /// Passages that hold the rarest of the words, with a score of 1 for one that holds them all.
    fn by_words(&self, terms: &[String]) -> Result<Vec<(i64, f32)>, MemoryError> {
        let Plan { expression, best_score } = self.plan(terms)?;
        let Some(expression) = expression else { return Ok(Vec::new()) };
        let matches = self.reader.index.matches(&expression, &self.query.kinds, CANDIDATES)?;
        let score = |bm25: f32| (bm25 / best_score.max(f32::EPSILON)).clamp(0.0, 1.0);
        Ok(matches.into_iter().map(|it| (it.chunk, score(it.bm25))).collect())
    }

    fn plan(&self, terms: &[String]) -> Result<Plan, MemoryError> {
        let index = &self.reader.index;
        let texts: Vec<String> = terms.iter().map(|term| spaced_out(term)).collect();
        let mut weighed = Vec::new();
        for (term, words) in terms.iter().zip(index.words_of(&texts)?) {
            weighed.extend(weigh(index, term, &words)?);
        }
        Ok(plan(weighed, self.chunks))
    }

    /// The passages nearest in meaning, looking further if too few of them are of the kind that was asked for.
    fn by_meaning(&mut self, model: &VectorModel, vector: &[f32]) -> Result<Vec<(i64, f32)>, MemoryError> {
        let Reader { index, matrix: held, .. } = &mut *self.reader;
        let present = held.take();
        let matrix = held.insert(Matrix::refreshed(present, index, model)?);
        let mut most = CANDIDATES;
        loop {
            let mut found = Vec::new();
            for (id, near) in matrix.nearest(vector, most) {
                let passages = index.passages_of_vector(id, &self.query.kinds)?;
                found.extend(passages.into_iter().map(|chunk| (chunk, near)));
            }
            if most >= matrix.len() || found.len() >= CANDIDATES / 2 {
                return Ok(found);
            }
            most *= 10;
        }
    }

    fn answers(&self, opinions: &HashMap<i64, Opinion>, with_vectors: bool) -> Result<Vec<Hit>, MemoryError> {
        let min_score = self.query.min_score.unwrap_or(self.settings.min_score);
        let limit = self.query.limit.unwrap_or(self.settings.max_results).min(MAX_HITS);
        let mut ranked: Vec<(i64, f32)> = fuse(opinions, with_vectors, self.settings)
            .into_iter()
            .filter(|(chunk, _)| opinions.get(chunk).is_some_and(|it| it.best() >= min_score))
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        let mut hits: Vec<Hit> = Vec::new();
        for (chunk, score) in ranked {
            if hits.len() == limit {
                break;
            }
            let Some(passage) = self.reader.index.passage(chunk)? else { continue };
            if !hits.iter().any(|hit| overlaps(hit, &passage)) {
                hits.push(hit(passage, score));
            }
        }
        Ok(hits)
    }
}

fn weigh(index: &Index, term: &str, words: &[String]) -> Result<Option<Weighed>, MemoryError> {
    // Several words side by side are at most as common as the rarest of them.
    let mut least = None;
    for word in words {
        let passages = index.passages_with(word)?;
        least = Some(least.map_or(passages, |least: usize| least.min(passages)));
    }
    let Some(passages) = least else { return Ok(None) };
    let mut weighed = Weighed { term: term.to_owned(), passages, prefix: false };
    if let ([word], 0) = (words, passages)
        && word.chars().count() >= MIN_PREFIX_LETTERS
    {
        weighed.passages = index.passages_with_prefix(word, MAX_PREFIX_WORDS)?.min(index.chunk_count()?);
        weighed.prefix = weighed.passages > 0;
    }
    Ok(Some(weighed))
}

/// Whether a passage repeats lines of one that is shown already.
fn overlaps(hit: &Hit, passage: &Passage) -> bool {
    hit.path == passage.path && hit.line_start <= passage.line_end && passage.line_start <= hit.line_end
}

fn hit(passage: Passage, score: f32) -> Hit {
    Hit {
        path: passage.path,
        line_start: passage.line_start,
        line_end: passage.line_end,
        excerpt: passage.text,
        kind: passage.kind,
        score,
        untrusted: passage.untrusted,
    }
}
