import type { VersionControlProvider } from '@agents/jangar-api'

type Spec = VersionControlProvider['spec']
type Service = Spec['provider']
export type SignInMethod = NonNullable<NonNullable<Spec['auth']>['method']>
export type TokenType = NonNullable<
  NonNullable<NonNullable<NonNullable<Spec['auth']>['token']>['type']>
>

interface ServiceAuth {
  readonly methods: readonly SignInMethod[]
  readonly tokenTypes: readonly TokenType[]
  /** The type of a token that does not specify one. Omitted if the type makes no difference. */
  readonly defaultTokenType?: TokenType
  /** The user name that Git sends with a token. */
  readonly username: string
}

/** The authentication methods that each service supports. */
export const authMatrix: Readonly<Record<Service, ServiceAuth>> = {
  github: {
    methods: ['token', 'app', 'ssh', 'none'],
    tokenTypes: ['pat', 'fine_grained', 'access_token'],
    defaultTokenType: 'fine_grained',
    username: 'x-access-token',
  },
  gitlab: {
    methods: ['token', 'ssh', 'none'],
    tokenTypes: ['pat', 'access_token'],
    defaultTokenType: 'access_token',
    username: 'oauth2',
  },
  bitbucket: {
    methods: ['token', 'ssh', 'none'],
    tokenTypes: ['access_token'],
    defaultTokenType: 'access_token',
    username: 'x-token-auth',
  },
  gitea: {
    methods: ['token', 'ssh', 'none'],
    tokenTypes: ['api_token', 'access_token'],
    defaultTokenType: 'api_token',
    username: 'git',
  },
  generic: {
    methods: ['token', 'ssh', 'none'],
    tokenTypes: ['pat', 'fine_grained', 'api_token', 'access_token'],
    username: 'git',
  },
}
