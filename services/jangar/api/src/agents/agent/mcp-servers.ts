import { list, object, optional, string, type ValidationRule, withRules } from '@agents/crd'

/** Bounded, because the admission policy checks the author's right to each Secret, and its cost is limited. */
export const mostMcpSecrets = 12

/** Its only use is to name one key of a Secret. */
const valueFrom = object('Source of the value.', {
  secretKeyRef: object('A key of a Secret in the same namespace.', {
    // A comma would separate names in the list that the policy checks.
    name: string('Name of the Secret.', {
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
      maxLength: 253,
    }),
    key: string('Key of the Secret.', { minLength: 1, maxLength: 253 }),
  }),
})

const oneValue: ValidationRule = {
  rule: 'has(self.value) != has(self.valueFrom)',
  message: 'exactly one of value and valueFrom is required',
}

const value = string('Value. Do not put secrets here.', { maxLength: 4096 })

const env = list(
  'Environment variables of the program. It gets none of the Secrets of a run but those that are listed here.',
  withRules(
    object('An environment variable.', {
      name: string('Name of the variable.', {
        pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
        maxLength: 253,
      }),
      value: optional(value),
      valueFrom: optional(valueFrom),
    }),
    oneValue,
  ),
  { maxItems: 32 },
)

const headers = list(
  'Headers of requests to the URL.',
  withRules(
    object('A header.', {
      name: string('Name of the header.', { pattern: '^[A-Za-z0-9-]+$', maxLength: 128 }),
      value: optional(value),
      prefix: optional(
        string('Text before the value of the Secret, such as "Bearer ".', { maxLength: 64 }),
      ),
      valueFrom: optional(valueFrom),
    }),
    oneValue,
    { rule: '!has(self.prefix) || has(self.valueFrom)', message: 'prefix requires valueFrom' },
  ),
  { maxItems: 16 },
)

const server = withRules(
  object('An MCP server: a program that the agent starts, or a URL.', {
    name: string('Name of the server. The agent CLI makes it part of the names of its tools.', {
      pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
      maxLength: 32,
    }),
    command: optional(
      string('Program of the image that speaks MCP on its standard input and output.', {
        minLength: 1,
        maxLength: 1024,
      }),
    ),
    args: optional(
      list('Arguments of the program.', string('An argument.', { maxLength: 4096 }), {
        maxItems: 64,
      }),
    ),
    env: optional(env),
    url: optional(
      string('URL that speaks MCP over HTTP (streamable HTTP), without user and password.', {
        pattern: '^https?://[^\\s/?#@]+([/?#]\\S*)?$',
        maxLength: 2048,
      }),
    ),
    headers: optional(headers),
    tools: optional(
      list(
        'Names of the tools that the agent sees. If omitted, all tools of the server.',
        string('Name of a tool.', { minLength: 1, maxLength: 128 }),
        { minItems: 1, maxItems: 128 },
      ),
    ),
  }),
  {
    rule: 'has(self.command) != has(self.url)',
    message: 'exactly one of command and url is required',
  },
  {
    rule: 'has(self.command) || !(has(self.args) || has(self.env))',
    message: 'args and env require command',
  },
  { rule: 'has(self.url) || !has(self.headers)', message: 'headers require url' },
)

export const mcpServers = withRules(
  list(
    'MCP servers whose tools the agent can use. The provider must have a cli that supports MCP.',
    server,
    { maxItems: 8 },
  ),
  {
    rule: 'self.all(one, self.exists_one(other, other.name == one.name))',
    message: 'names of servers must differ',
  },
)

function secretsIn(field: 'env' | 'headers'): string {
  return `(has(one.${field}) ? one.${field}.filter(each, has(each.valueFrom)).size() : 0)`
}

/** Of the spec. */
export const boundedMcpSecrets: ValidationRule = {
  rule: `!has(self.mcpServers) || self.mcpServers.map(one, ${secretsIn('env')} + ${secretsIn('headers')}).sum() <= ${mostMcpSecrets}`,
  message: `mcpServers: at most ${mostMcpSecrets} values may come from Secrets`,
}
