/**
 * Credentials that are recognised by their form. Stricter than what is masked in logs: a wrong match here fails a run.
 * Each pattern begins with fixed characters and is bounded, so that a search takes linear time.
 */
const formats = {
  'a token of GitHub': 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}',
  'a token of GitLab': 'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_-]{20,128}',
  'a token of Slack': 'xox[abeoprs]-[A-Za-z0-9-]{20,255}|xapp-\\d-[A-Z0-9]+-\\d+-[a-z0-9]{32,128}',
  'a webhook of Slack':
    'hooks\\.slack\\.com/services/T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{20,32}',
  'a key of Anthropic': 'sk-ant-[a-z0-9]{3,8}-[A-Za-z0-9_-]{32,200}',
  'a key of OpenAI':
    'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,200}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}',
  'a key of Stripe': '[sr]k_live_[A-Za-z0-9]{20,128}|whsec_[A-Za-z0-9+/=]{32,64}',
  'a token of npm': 'npm_[A-Za-z0-9]{36}',
  'a token of PyPI': 'pypi-AgE[A-Za-z0-9_-]{50,255}',
  'a token of Hugging Face': 'hf_[A-Za-z]{34}',
  'a key of Google': 'AIza[A-Za-z0-9_-]{35}|ya29\\.[A-Za-z0-9_-]{40,255}|GOCSPX-[A-Za-z0-9_-]{28}',
  'a key of AWS': '(?:AKIA|ASIA)[A-Z2-7]{16}',
  'a key of Linear': 'lin_(?:api|oauth)_[A-Za-z0-9]{40,64}',
  'a token of DigitalOcean': 'do[opr]_v1_[a-f0-9]{64}',
  'a token of Vault': 'hv[sbr]\\.[A-Za-z0-9_-]{24,255}',
  'a key of age': 'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  'a private key': '-----BEGIN (?:[A-Z]{1,10} ){0,2}PRIVATE KEY-----',
  'a key of SendGrid': 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}',
  'a token of Shopify': 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
  'a token of Databricks': 'dapi[a-f0-9]{32}',
  'a token of Docker Hub': 'dckr_pat_[A-Za-z0-9_-]{27}',
  'a token of Grafana': 'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}',
  'a token of Atlassian': 'ATATT3[A-Za-z0-9_=-]{60,255}',
  'a key of Azure Storage': 'AccountKey=[A-Za-z0-9+/]{86}==',
} as const

const names = Object.keys(formats)
const pattern = new RegExp(
  Object.values(formats)
    .map((one) => `(?<![A-Za-z0-9_])(${one})`)
    .join('|'),
  'g',
)

export interface FoundToken {
  /** Such as "a token of GitHub". */
  readonly what: string
  readonly value: string
}

/** No token is longer than this, so that a text can be searched in pieces that overlap by it. */
export const longestToken = 512

export function findTokens(text: string): FoundToken[] {
  return [...text.matchAll(pattern)].map(([value, ...groups]) => {
    const at = groups.findIndex((group) => group !== undefined)
    return { what: names[at] ?? 'a token', value }
  })
}
