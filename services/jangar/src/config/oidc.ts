import { type ConfigOf, type ConfigRule, list, text, url } from '@agents/config'
import type { api } from './api.ts'
import type { optionalDatabase } from './database.ts'

/** `-` is no prefix, as for kube-apiserver: an empty variable counts as not set. */
const prefix = {
  expected: 'a prefix such as oidc:, or - for none',
  fallback: 'oidc:',
  check: (value: string) => {
    if (/^system:/i.test(value)) return 'names that start with system: belong to Kubernetes'
    return /^[\x21-\x7e]{1,100}$/.test(value)
      ? undefined
      : 'it contains other characters than ASCII'
  },
} as const

/** Signing in of browsers at an OpenID provider. */
export const oidc = {
  issuerUrl: url('JANGAR_OIDC_ISSUER_URL', {
    doc: 'Issuer of an OpenID provider at which people sign in to the console. If omitted, they cannot.',
    chart: 'api.oidc.issuerUrl',
    schemes: ['https'],
    optional: true,
  }),
  clientId: text('JANGAR_OIDC_CLIENT_ID', {
    doc: 'The client id of the console at the provider.',
    chart: 'api.oidc.clientId',
    optional: true,
  }),
  clientSecret: text('JANGAR_OIDC_CLIENT_SECRET', {
    doc: 'The secret of that client.',
    chart: 'api.oidc.clientSecret',
    secret: true,
    optional: true,
  }),
  publicUrl: url('JANGAR_OIDC_PUBLIC_URL', {
    doc: 'Where browsers find the console, without a path. The provider must allow the redirects to /signed-in there, and after signing out to /.',
    chart: 'api.oidc.publicUrl',
    schemes: ['https'],
    optional: true,
    expected: 'an origin such as https://agents.example.com',
    check: (value) => (new URL(value).origin === value ? undefined : 'it has more than an origin'),
  }),
  scopes: list('JANGAR_OIDC_SCOPES', {
    doc: 'Scopes to ask for beside openid, so that the ID token has the claims for user and groups.',
    chart: 'api.oidc.scopes',
    fallback: [],
  }),
  usernameClaim: text('JANGAR_OIDC_USERNAME_CLAIM', {
    doc: 'The claim of the ID token with the name of the user. With email, the provider must have verified it.',
    chart: 'api.oidc.usernameClaim',
    fallback: 'sub',
  }),
  usernamePrefix: text('JANGAR_OIDC_USERNAME_PREFIX', {
    doc: 'Prefix of user names in the cluster; - is none. Without one, the provider can name any user of the cluster except system ones.',
    chart: 'api.oidc.usernamePrefix',
    ...prefix,
  }),
  groupsClaim: text('JANGAR_OIDC_GROUPS_CLAIM', {
    doc: 'The claim of the ID token with the groups of the user.',
    chart: 'api.oidc.groupsClaim',
    fallback: 'groups',
  }),
  groupsPrefix: text('JANGAR_OIDC_GROUPS_PREFIX', {
    doc: 'Prefix of group names in the cluster; - is none.',
    chart: 'api.oidc.groupsPrefix',
    ...prefix,
  }),
  groups: list('JANGAR_OIDC_GROUPS', {
    doc: 'The groups that count in the cluster, with the prefix. Others of a user are ignored.',
    chart: 'api.oidc.groups',
    fallback: [],
    checkEach: (name) => {
      if (/^system:/i.test(name)) return 'names that start with system: belong to Kubernetes'
      const isPlain = /^[\x20-\x7e]{1,256}$/.test(name)
      return isPlain ? undefined : 'it contains other characters than ASCII'
    },
  }),
  caFile: text('JANGAR_OIDC_CA_FILE', {
    doc: "File with the authorities of the provider's certificate, in PEM. If omitted, those of the system.",
    chart: 'api.oidc.caSecret',
    optional: true,
  }),
}

type SignIn = {
  readonly api: ConfigOf<typeof api>
  readonly oidc: ConfigOf<typeof oidc>
  readonly database: ConfigOf<typeof optionalDatabase>
}

export const oidcRules: readonly ConfigRule<SignIn>[] = [
  {
    about: ['JANGAR_OIDC_CLIENT_ID', 'JANGAR_OIDC_CLIENT_SECRET', 'JANGAR_OIDC_PUBLIC_URL'],
    expected: 'all three, with JANGAR_OIDC_ISSUER_URL',
    fix: 'Set all three.',
    holds: ({ oidc: { issuerUrl, clientId, clientSecret, publicUrl } }) =>
      issuerUrl === undefined ||
      (clientId !== undefined && clientSecret !== undefined && publicUrl !== undefined),
  },
  {
    about: ['JANGAR_OIDC_ISSUER_URL', 'JANGAR_API_ENABLED', 'DATABASE_URL'],
    expected: 'the HTTP API and a database, which keeps the sessions',
    fix: 'Set JANGAR_API_ENABLED and DATABASE_URL.',
    holds: ({ oidc: { issuerUrl }, api: { enabled }, database: { url: database } }) =>
      issuerUrl === undefined || (enabled && database !== undefined),
  },
]
