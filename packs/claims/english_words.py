"""Closed classes of English: the words that carry structure instead of content. The longer lists are in `words/`."""

from packs.claims.lexicon import word_list

DETERMINERS = word_list("english", "determiners")
ARTICLES = word_list("english", "articles")
PRONOUNS = word_list("english", "pronouns")
AUXILIARIES = word_list("english", "auxiliaries")
BE = word_list("english", "be")
MODALS = word_list("english", "modals")
NEGATORS = word_list("english", "negators")
PREPOSITIONS = {
    "of": "of", "from": "from", "to": "to", "into": "to", "onto": "to", "toward": "to", "towards": "to", "than": "than",
    "with": "with", "without": "with", "by": "by", "in": "place", "on": "place", "at": "place", "near": "place",
    "within": "place", "inside": "place", "outside": "place", "among": "place", "between": "place", "across": "place",
    "under": "place", "over": "place", "above": "place", "below": "place", "through": "place", "throughout": "place",
    "for": "other", "as": "other", "about": "other", "against": "other", "during": "other", "per": "other",
    "despite": "other", "like": "other", "around": "other", "along": "other", "behind": "place", "beside": "place",
    "beyond": "place", "upon": "place", "via": "other", "since": "other", "until": "other", "till": "other",
    "before": "other", "after": "other", "following": "other", "including": "other", "except": "other", "up": "other",
    "down": "other", "off": "other", "out": "other", "due": "other", "because": "cause", "ahead": "other",
}  # fmt: skip
# These carry meaning of their own: `above` against `below` is a contradiction, `in` against `at` is not.
MEANINGFUL_PREPOSITIONS = word_list("english", "meaningful_prepositions")
SUBORDINATORS = {
    "because": "because", "since": "because", "if": "if", "unless": "unless", "although": "although",
    "though": "although",
    "while": "while", "whereas": "while", "when": "when", "where": "where", "before": "before", "after": "after",
    "until": "until", "once": "when", "that": "that", "which": "which", "who": "which", "whom": "which",
    "whose": "which",
}  # fmt: skip
QUANTIFIERS = {
    "all": "all", "every": "all", "each": "all", "both": "all", "either": "all", "always": "all", "entire": "all",
    "whole": "all", "everyone": "all", "everybody": "all", "everything": "all", "any": "all",
    "most": "most", "majority": "most", "mostly": "most", "mainly": "most", "largely": "most",
    "many": "many", "several": "many", "some": "some", "certain": "some", "partly": "some", "sometimes": "some",
    "few": "few", "minority": "few", "little": "few", "hardly": "few", "rarely": "few", "seldom": "few",
    "none": "none", "no": "none", "neither": "none", "nobody": "none", "nothing": "none", "never": "none",
    "only": "only", "solely": "only", "exclusively": "only", "just": "only", "sole": "only",
}  # fmt: skip
# Words without content of their own for the comparison of two sentences.
LIGHT = word_list("english", "light")
GENERIC_SUBJECTS = word_list("english", "generic_subjects")
NEGATING_VERBS = word_list("english", "negating_verbs")
REPORTING_VERBS = word_list("english", "reporting_verbs")
EXPECTING = word_list("english", "expecting")
IRREGULAR_PARTICIPLES = word_list("english", "irregular_participles")
MEASURES = word_list("english", "measures")
BY_NOBODY = word_list("english", "by_nobody")
PERSONAL = word_list("english", "personal")
POSSESSIVES = word_list("english", "possessives")
PERSONS = word_list("english", "persons")
