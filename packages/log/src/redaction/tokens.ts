import { mask } from './mask.ts'

// Every pattern is a fixed prefix and a repetition with a lower bound: a failed match takes constant time, and a
// successful one consumes what it read. All repetitions accept at least these characters, so that no pattern splits
// the token of another one.
const tokens = new RegExp(
  `(?:${[
    'gh[pousr]_', // GitHub
    'github_pat_',
    'gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct)-', // GitLab
    'xox[a-z]-', // Slack
    'xapp-',
    'hooks\\.slack\\.com/services/',
    'sk-(?:ant|proj|svcacct|admin|or)-', // Anthropic, OpenAI, OpenRouter
    '(?<![A-Za-z0-9])sk-(?=[A-Za-z]{0,16}[0-9])',
    '[sr]k_(?:live|test)_', // Stripe
    'whsec_',
    'npm_(?=[A-Za-z0-9]{30})',
    'pypi-(?=AgE)',
    'hf_(?=[A-Za-z0-9]{24})', // Hugging Face
    'AIza', // Google
    'ya29\\.',
    '(?:AKIA|ASIA)(?=[A-Z0-9]{16})', // AWS
    'lin_(?:api|wh|oauth)_', // Linear
    'dop_v1_',
    'hv[sbr]\\.', // Vault
    'AGE-(?:SECRET-KEY|PLUGIN)-',
    'age-secret-key-',
    'QUdFLVNFQ1JFVC1LRVkt', // AGE-SECRET-KEY- in base64, as in a Secret
    'LS0tLS1CRUdJTi(?!BDRVJUSUZJ|BQVUJMSUMg)', // PEM in base64, except certificates and public keys
  ].join('|')})[\\w+/=~.-]{12,}`,
  'g',
)

// `eyJ` is `{"` in base64: a JSON Web Token, a Docker credential, or some other encoded JSON object.
const encodedJson = /eyJ[\w+/=~-]{10,}(?:\.[\w+/=~-]*){0,4}/g

const schemes = /(bearer|basic|digest|\btoken)([ \t]{1,4})([\w.~+/=:-]{8,})/gi

/** Masks credentials that are recognised by their form, anywhere in the text. */
export function redactTokens(text: string): string {
  return text
    .replace(schemes, (whole, scheme: string, gap: string, value: string) =>
      isLikelyToken(scheme, value) ? `${scheme}${gap}${mask}` : whole,
    )
    .replace(tokens, mask)
    .replace(encodedJson, mask)
}

/** Distinguishes `Bearer 9f8a…` from `bearer authentication` and `token ServiceAccount`. */
function isLikelyToken(scheme: string, value: string): boolean {
  if (value.length >= 32 || /[0-9=]/.test(value)) return true
  return scheme.toLowerCase() !== 'token' && /[A-Z]/.test(value.slice(1))
}
