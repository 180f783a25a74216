// Encodes a tricky corpus with two other implementations, for bpe_reference_test.cpp.
//
//     node tests/nn/bpe_reference.js NODE_MODULES > cases.json
//
// NODE_MODULES is a folder that holds the packages gpt-3-encoder 1.1.4 and gpt-tokenizer 4.0.0.
// The pattern that both split texts with says \s, in which JavaScript differs from Unicode's
// White_Space at U+0085 and U+FEFF. Texts that hold one of these are split with White_Space
// written out instead; all others with the packages as they are.
'use strict';

const fs = require('fs');
const Module = require('module');
const path = require('path');

const modules = path.resolve(process.argv[2]);

function whiteSpaceWrittenOut(pattern) {
  return pattern.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}');
}

function loadEncoder(change) {
  const file = path.join(modules, 'gpt-3-encoder', 'Encoder.js');
  const encoderModule = new Module(file, module);
  encoderModule.paths = [modules];
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const changed = lines.map((line) => (line.startsWith('const pat = ') ? change(line) : line));
  encoderModule._compile(changed.join('\n'), file);
  return encoderModule.exports.encode;
}

function loadTokenizer(change) {
  const folder = path.join(modules, 'gpt-tokenizer', 'cjs');
  for (const file of Object.keys(require.cache)) delete require.cache[file];
  const constants = require(path.join(folder, 'encodingParams', 'constants.js'));
  const pattern = constants.R50K_TOKEN_SPLIT_REGEX;
  constants.R50K_TOKEN_SPLIT_REGEX = new RegExp(change(pattern.source), pattern.flags);
  const tokenizer = require(path.join(folder, 'encoding', 'r50k_base.js'));
  return (text) => tokenizer.encode(text, {disallowedSpecial: new Set()});
}

// ---- The corpus ---------------------------------------------------------------------------------

let state = 20260101;

// xorshift32: the same corpus every time.
function below(count) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % count;
}

const pick = (list) => list[below(list.length)];
const repeat = (count, make) => Array.from({length: count}, make);
const join = (most, make) => repeat(below(most + 1), make).join('');

function codePoint() {
  const limits = [0x80, 0x250, 0x800, 0x3100, 0x10000, 0x20000, 0x110000];
  const drawn = below(pick(limits));
  return String.fromCodePoint(drawn >= 0xd800 && drawn <= 0xdfff ? drawn - 0x800 : drawn);
}

const byHand = [
  '', ' ', '  ', '\n', '\t', 'a', '\0', "'", "''", "'s", "'S", " 's", "it's", "IT'S", "'stop", "'re'", "y'all'd've",
  "we’re", 'a  b', 'a \n b', 'a\r\nb\r\n', 'tab\there', '\u00a0', 'a\u00a0b', 'a \u00a0 b', '\u3000x', '\u0085', 'a\u0085 b',
  '\ufeffa', ' \ufeff b', '\u200b', 'a\u200bb', '\u2028\u2029', '\x1c \x1f', '1234567890', '3.14', '1,000,000', 'x² ½ Ⅳ ٣٤',
  'café', 'cafe\u0301', 'Ünïcödé', 'Straße', 'İıſK', 'Ελληνικά', 'Русский язык', 'עברית', 'العربية', 'हिन्दी नमस्ते', 'ไทย',
  '你好，世界', '日本語テスト', '한국어 조합', '𠀀𠮷', '👍', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👨🏽‍💻 x', '🇩🇪🇫🇷', '\u{10ffff}', '\ufffd', '𝒳𝟙',
  'if (x != 0) { return y[i]++; } // ok', '<|endoftext|>', 'a<|endoftext|>b', 'constructor __proto__ toString', '```\n#\n```',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '--------', '========', '........', ',,,,,,,,', '\n\n\n\n', '\t\t\tx', '\\n\\t',
];

const atoms = [
  ' ', ' ', ' ', '  ', '   ', '\n', '\n\n', '\t', '\r\n', '\u00a0', '\u2003', '\u3000', '\u0085', '\ufeff', '\u200d', '\ufe0f',
  "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'", '"', '.', ',', '!', '-', '(', ')', '#', '_', '0', '12', '345', '²',
  'the', 'The', 'transformer', 'attention', 'Vitro', 'glass', 'don', 'we', 'I', 'é', 'ü', 'ñ', 'e\u0301', 'ß', '好', '世界', 'の',
  'д', 'Привет', 'α', 'ב', 'م', 'क', '👍', '👩', '👧', '\u{1f3fd}', '🇩🇪', '\u{e0001}', '\0', '\x7f', '<|endoftext|>',
];

function corpus() {
  const letters = 'etaoinshrdlu';
  return [
    ...byHand,
    ...repeat(4000, () => join(12, () => pick(atoms))),
    ...repeat(2500, () => join(24, codePoint)),
    ...repeat(1000, () => join(30, () => pick([' ', '\n', '\t', '\u00a0', '\u0085', '\ufeff', 'a', '1', '!', "'s"]))),
    ...repeat(1000, () => join(40, () => pick(letters))),
    ...repeat(300, () => pick(atoms).repeat(below(60))),
    ...repeat(200, () => join(90, () => pick(letters) + (below(5) === 0 ? pick(atoms) : ''))),
  ];
}

// l(etter), n(umber), s(pace) or - of every code point, as run lengths: "-65l26-6…".
function classes() {
  const classOf = (character) => /\p{L}/u.test(character) ? 'l'
    : /\p{N}/u.test(character) ? 'n' : /\p{White_Space}/u.test(character) ? 's' : '-';
  let runs = '';
  let length = 0;
  for (let i = 0; i <= 0x10ffff; ++i) {
    const at = (k) => k > 0x10ffff ? '' : k >= 0xd800 && k <= 0xdfff ? '-' : classOf(String.fromCodePoint(k));
    ++length;
    if (at(i) === at(i + 1)) continue;
    runs += `${at(i)}${length}`;
    length = 0;
  }
  return runs;
}

const same = (pattern) => pattern;
const asTheyAre = [loadEncoder(same), loadTokenizer(same)];
const writtenOut = [loadEncoder(whiteSpaceWrittenOut), loadTokenizer(whiteSpaceWrittenOut)];
const cases = corpus().map((text) => {
  const [encoder, tokenizer] = /[\u0085\ufeff]/.test(text) ? writtenOut : asTheyAre;
  return {text, encoder: text === '' ? [] : encoder(text), tokenizer: tokenizer(text)};
});
process.stdout.write(JSON.stringify({unicode: process.versions.unicode, classes: classes(), cases}));
