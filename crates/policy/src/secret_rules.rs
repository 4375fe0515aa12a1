//! What secrets look like, as data. How they are found and replaced is for `redact`.

/// One kind of secret.
#[derive(Debug)]
pub(crate) struct SecretRule {
    /// What is left in its place, in plain words.
    pub(crate) name: &'static str,
    /// Texts, in small letters, of which one must be present before the expression is tried.
    pub(crate) keywords: &'static [&'static str],
    /// The expression. A group `secret` marks what is replaced; without one, the whole match is.
    pub(crate) expression: &'static str,
}

const fn rule(name: &'static str, keywords: &'static [&'static str], expression: &'static str) -> SecretRule {
    SecretRule { name, keywords, expression }
}

/// The kinds of secret, the most telling first.
pub(crate) const SECRET_RULES: &[SecretRule] = &[
    rule(
        "private key",
        &["private key"],
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    rule("anthropic key", &["sk-ant-"], r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    rule("openrouter key", &["sk-or-"], r"\bsk-or-[A-Za-z0-9_-]{16,}"),
    rule("openai key", &["sk-"], r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    rule("stripe key", &["_live_", "_test_"], r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    rule("aws key id", &["akia", "asia", "abia", "acca"], r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    rule(
        "aws secret key",
        &["aws"],
        r#"(?i)aws_?(?:secret|session)[a-z_]{0,20}["']?\s{0,3}[:=]\s{0,3}["']?(?P<secret>[A-Za-z0-9/+=]{40,})"#,
    ),
    rule("github token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
    rule("github token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{30,}"),
    rule("gitlab token", &["glpat-", "gldt-", "glrt-"], r"\bgl(?:pat|dt|rt)-[A-Za-z0-9_-]{20,}"),
    rule("slack token", &["xox", "xapp-"], r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),
    rule(
        "slack webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?P<secret>(?:services|workflows)/[A-Za-z0-9/_-]{20,})",
    ),
    rule("telegram token", &[":aa"], r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}"),
    rule("discord token", &["."], r"\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    rule("google key", &["aiza"], r"\bAIza[A-Za-z0-9_-]{35}"),
    rule("google token", &["ya29."], r"\bya29\.[A-Za-z0-9_-]{20,}"),
    rule("google secret", &["gocspx-"], r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    rule("npm token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}"),
    rule("pypi token", &["pypi-"], r"\bpypi-[A-Za-z0-9_-]{50,}"),
    rule("cargo token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b"),
    rule("hugging face token", &["hf_"], r"\bhf_[A-Za-z0-9]{30,}"),
    rule("groq key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}"),
    rule("xai key", &["xai-"], r"\bxai-[A-Za-z0-9]{40,}"),
    rule("replicate token", &["r8_"], r"\br8_[A-Za-z0-9]{30,}"),
    rule("sendgrid key", &["sg."], r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    rule("digitalocean token", &["dop_v1_", "doo_v1_"], r"\bdo[opr]_v1_[a-f0-9]{64}"),
    rule("tailscale key", &["tskey-"], r"\btskey-[A-Za-z0-9-]{20,}"),
    rule("vault token", &["hvs."], r"\bhvs\.[A-Za-z0-9_-]{20,}"),
    rule("age key", &["age-secret-key-"], r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    rule("json web token", &["eyj"], r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{0,}"),
    rule(
        "authorization",
        &["authorization"],
        r#"(?i)\b(?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token|bot)\s{1,3}(?P<secret>[A-Za-z0-9._~+/=:-]{6,})"#,
    ),
    rule("bearer token", &["bearer "], r"(?i)\bbearer\s{1,3}(?P<secret>[A-Za-z0-9._~+/=-]{20,})"),
    rule(
        "api key header",
        &["x-api-key", "x-auth-token", "x-goog-api-key", "api-key"],
        r#"(?i)\b(?:x-api-key|x-auth-token|x-goog-api-key|api-key)["']?\s{0,3}[:=]\s{0,3}["']?(?P<secret>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    rule(
        "password in address",
        &["://"],
        r"[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@'\x22\[\]]{0,64}:(?P<secret>[^\s/@'\x22\[\]]{1,256})@",
    ),
    rule(
        "password",
        &["passw", "pwd", "secret", "token", "api_key", "apikey", "passphrase"],
        r#"(?i)\b[A-Z0-9_.-]{0,40}(?:password|passwd|passphrase|pwd|secret|token|api_?key|secret_?key|access_?key|client_?secret)["']?\s{0,3}(?:=|:)\s{0,3}(?P<secret>"[^"\r\n]{6,256}"|'[^'\r\n]{6,256}'|[^\s"',;&\[\]{}()<>$]{8,})(?:[\s"',;&\[\]{})<>$]|\z)"#,
    ),
];
