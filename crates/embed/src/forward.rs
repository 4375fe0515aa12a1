//! From word pieces to vectors: the forward pass of all-MiniLM-L6-v2. Several texts are packed one after the other, so
//! that short ones share the cost of going through the weights. What a text's pieces are is for `wordpiece`.

use crate::{
    arithmetic::{gelu, normalize, quantize, softmax, to_unit_length},
    kernel::{self, STEP, TILE_INPUTS, TILE_ROWS},
    shape::{ATTENTION, HEAD, HEADS, HIDDEN, INNER, MAX_PIECES},
    weights::{Matrix, Normal, Weights},
};

/// How many tokens go through the weights together. One text of the greatest length always fits; more would not be
/// faster and would need more memory.
pub(crate) const MAX_TOKENS: usize = MAX_PIECES;

/// How many tokens go through the two matrices inside a layer together: what they become there fits into the cache.
const CHUNK: usize = 32;

/// How many inputs of a product are kept close to the processor: three quarters of a 32 kB cache.
const NEAR_INPUTS: usize = 12_288;

/// Scores are computed in blocks of so many tokens.
const BLOCK: usize = 32;

/// What a score is where there is no token: no share of anything.
const NO_TOKEN: f32 = -1e30;

/// A vector for each text. The texts are given as their pieces, marks included; all of them together are at most
/// `MAX_TOKENS`.
pub(crate) fn forward(weights: &Weights, texts: &[&[u32]]) -> Vec<Vec<f32>> {
    let mut pass = Pass::new(weights, texts);
    for layer in 0..weights.layers.len() {
        pass.attend(layer, texts);
        pass.think(layer);
    }
    pass.pool(texts)
}

/// What is computed with, once for each call.
struct Pass<'a> {
    weights: &'a Weights,
    /// What stands for each token.
    hidden: Vec<f32>,
    /// Query, key and value of each token.
    attention: Vec<f32>,
    /// What each token takes from the others.
    context: Vec<f32>,
    /// What stands for each token of a chunk inside a layer.
    inner: Vec<f32>,
    /// What a chunk becomes, before it is added.
    change: Vec<f32>,
    quantized: Quantized,
}

impl<'a> Pass<'a> {
    fn new(weights: &'a Weights, texts: &[&[u32]]) -> Self {
        let tokens = texts.iter().map(|text| text.len()).sum::<usize>();
        let mut hidden = Vec::with_capacity(tokens * HIDDEN);
        for text in texts {
            for (number, position) in text.iter().zip(weights.positions.chunks(HIDDEN)) {
                let word = weights.rows_from(&weights.words, *number as usize).as_flattened();
                let scale = weights.words.scales[*number as usize];
                let numbers = word.iter().zip(position);
                hidden.extend(numbers.map(|(word, place)| f32::from(word.cast_signed()) * scale + place));
            }
        }
        normalize_rows(&mut hidden, &weights.normal);
        Self {
            weights,
            hidden,
            attention: vec![0.0; tokens * ATTENTION],
            context: vec![0.0; tokens * HIDDEN],
            inner: vec![0.0; CHUNK * INNER],
            change: vec![0.0; CHUNK * HIDDEN],
            quantized: Quantized::default(),
        }
    }

    /// Each token looks at the others of its text.
    fn attend(&mut self, layer: usize, texts: &[&[u32]]) {
        let (weights, layer) = (self.weights, &self.weights.layers[layer]);
        let chunks = self.attention.chunks_mut(CHUNK * ATTENTION);
        for (hidden, attention) in self.hidden.chunks(CHUNK * HIDDEN).zip(chunks) {
            self.quantized.take(hidden, HIDDEN);
            multiply(weights, &layer.attention, &self.quantized, attention);
        }
        let (mut attention, mut context) = (&self.attention[..], &mut self.context[..]);
        for text in texts {
            let (of_text, rest) = attention.split_at(text.len() * ATTENTION);
            let (into, rest_into) = std::mem::take(&mut context).split_at_mut(text.len() * HIDDEN);
            look_around(of_text, into);
            (attention, context) = (rest, rest_into);
        }
        for (hidden, context) in
            self.hidden.chunks_mut(CHUNK * HIDDEN).zip(self.context.chunks(CHUNK * HIDDEN))
        {
            let change = &mut self.change[..hidden.len()];
            self.quantized.take(context, HIDDEN);
            multiply(weights, &layer.context, &self.quantized, change);
            add(hidden, change, &layer.after_attention);
        }
    }

    /// Each token for itself.
    fn think(&mut self, layer: usize) {
        let (weights, layer) = (self.weights, &self.weights.layers[layer]);
        for hidden in self.hidden.chunks_mut(CHUNK * HIDDEN) {
            let inner = &mut self.inner[..hidden.len() / HIDDEN * INNER];
            self.quantized.take(hidden, HIDDEN);
            multiply(weights, &layer.widen, &self.quantized, inner);
            kernel::widest(
                #[inline(always)]
                || gelu(inner),
            );
            let change = &mut self.change[..hidden.len()];
            self.quantized.take(inner, INNER);
            multiply(weights, &layer.narrow, &self.quantized, change);
            add(hidden, change, &layer.after_inner);
        }
    }

    /// A text is the mean of its tokens.
    fn pool(&self, texts: &[&[u32]]) -> Vec<Vec<f32>> {
        let mut rest = self.hidden.chunks(HIDDEN);
        let vectors = texts.iter().map(|text| {
            let mut vector = vec![0.0; HIDDEN];
            for token in rest.by_ref().take(text.len()) {
                vector.iter_mut().zip(token).for_each(|(sum, number)| *sum += number);
            }
            to_unit_length(&mut vector);
            vector
        });
        vectors.collect()
    }
}

/// Rows of inputs as integers, each with what one of them is worth.
#[derive(Default)]
struct Quantized {
    values: Vec<i16>,
    worth: Vec<f32>,
    columns: usize,
}

impl Quantized {
    /// Takes rows over. Rows that are missing from the last tile are zeroes.
    fn take(&mut self, rows: &[f32], columns: usize) {
        let count = rows.len() / columns;
        self.columns = columns;
        self.worth.resize(count, 0.0);
        self.values.clear();
        self.values.resize(count.next_multiple_of(TILE_INPUTS) * columns, 0);
        let each = rows.chunks(columns).zip(self.values.chunks_mut(columns)).zip(&mut self.worth);
        kernel::widest(
            #[inline(always)]
            || {
                for ((row, values), worth) in each {
                    *worth = quantize(row, values);
                }
            },
        );
    }
}

/// Multiplies each row of inputs with the matrix and adds the bias.
fn multiply(weights: &Weights, matrix: &Matrix, inputs: &Quantized, into: &mut [f32]) {
    let rows = matrix.scales.len();
    let steps = matrix.columns / STEP;
    let near = (NEAR_INPUTS / matrix.columns).max(TILE_INPUTS);
    let values = inputs.values.as_chunks::<STEP>().0;
    let near_values = values.chunks(near * steps);
    for ((values, worth), into) in
        near_values.zip(inputs.worth.chunks(near)).zip(into.chunks_mut(near * rows))
    {
        let tiles = weights.rows_from(matrix, 0).chunks_exact(TILE_ROWS * steps);
        for (tile, weights) in tiles.take(rows / TILE_ROWS).enumerate() {
            let row = tile * TILE_ROWS;
            let (scales, bias) = (&matrix.scales[row..][..TILE_ROWS], &matrix.bias[row..][..TILE_ROWS]);
            let weights = std::array::from_fn(|at| &weights[at * steps..][..steps]);
            for (first, values) in values.chunks_exact(TILE_INPUTS * steps).enumerate() {
                let values = std::array::from_fn(|at| &values[at * steps..][..steps]);
                let products = kernel::tile(weights, values);
                let first = first * TILE_INPUTS;
                for (token, worth) in worth[first..].iter().take(TILE_INPUTS).enumerate() {
                    let into = &mut into[(first + token) * rows + row..][..TILE_ROWS];
                    for at in 0..TILE_ROWS {
                        into[at] = products[at][token] as f32 * (worth * scales[at]) + bias[at];
                    }
                }
            }
        }
    }
}

/// Adds the change to each row, then normalizes it.
fn add(rows: &mut [f32], change: &[f32], normal: &Normal) {
    rows.iter_mut().zip(change).for_each(|(number, change)| *number += change);
    normalize_rows(rows, normal);
}

fn normalize_rows(rows: &mut [f32], normal: &Normal) {
    kernel::widest(
        #[inline(always)]
        || {
            for row in rows.chunks_mut(HIDDEN) {
                normalize(row, &normal.stretch, &normal.shift);
            }
        },
    );
}

/// For one text: each token takes from the values of all, by how well its query meets their keys.
fn look_around(attention: &[f32], into: &mut [f32]) {
    let tokens = attention.len() / ATTENTION;
    let mut heads = Head {
        queries: vec![[0.0; HEAD]; tokens],
        keys: vec![[[0.0; BLOCK]; HEAD]; tokens.div_ceil(BLOCK)],
        values: vec![[0.0; HEAD]; tokens],
        scores: vec![0.0; tokens.next_multiple_of(BLOCK)],
    };
    for head in 0..HEADS {
        heads.take(attention, head);
        kernel::widest(
            #[inline(always)]
            || heads.look(),
        );
        for (seen, into) in heads.queries.iter().zip(into.chunks_mut(HIDDEN)) {
            into[head * HEAD..][..HEAD].copy_from_slice(seen);
        }
    }
}

/// What one head needs of a text, laid out for vector instructions. Loops over indices instead of iterators, whose
/// parts compilers do not always put in place.
struct Head {
    /// What each token looks for; then, what it found.
    queries: Vec<[f32; HEAD]>,
    /// In blocks of tokens, number by number.
    keys: Vec<[[f32; BLOCK]; HEAD]>,
    values: Vec<[f32; HEAD]>,
    scores: Vec<f32>,
}

impl Head {
    fn take(&mut self, attention: &[f32], head: usize) {
        for (token, row) in attention.chunks_exact(ATTENTION).enumerate() {
            let part = |which: usize| &row[which * HIDDEN + head * HEAD..][..HEAD];
            self.queries[token].copy_from_slice(part(0));
            self.values[token].copy_from_slice(part(2));
            let keys = &mut self.keys[token / BLOCK];
            keys.iter_mut().zip(part(1)).for_each(|(keys, number)| keys[token % BLOCK] = *number);
        }
    }

    #[inline(always)]
    fn look(&mut self) {
        let tokens = self.queries.len();
        for token in 0..tokens {
            let query = self.queries[token];
            let scores = self.scores.as_chunks_mut::<BLOCK>().0;
            for block in 0..scores.len().min(self.keys.len()) {
                let (keys, mut sums) = (&self.keys[block], [0.0; BLOCK]);
                for number in 0..HEAD {
                    for at in 0..BLOCK {
                        sums[at] += query[number] * keys[number][at];
                    }
                }
                scores[block] = sums;
            }
            self.scores[tokens..].fill(NO_TOKEN);
            softmax(&mut self.scores);
            let mut sums = [0.0; HEAD];
            for other in 0..tokens.min(self.scores.len()) {
                let (share, value) = (self.scores[other], &self.values[other]);
                for at in 0..HEAD {
                    sums[at] += share * value[at];
                }
            }
            self.queries[token] = sums;
        }
    }
}
