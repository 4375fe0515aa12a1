-- Which words a query has, told by the same hand that told the words of the passages.
CREATE VIRTUAL TABLE temp.asked USING fts5 (text, tokenize = "porter unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE temp.asked_words USING fts5vocab ('temp', 'asked', 'instance');
-- How many passages hold a word.
CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab ('main', 'words', 'row');
