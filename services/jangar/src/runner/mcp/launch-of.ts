import type { McpServer } from '../../run-contract/mcp-server.ts'
import type { McpLaunch } from './protocol.ts'

/** What programs need to work at all. A server gets no other variable of the container. */
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'TZ',
  'AGENT_WORKSPACE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
]

type Environment = Readonly<Record<string, string | undefined>>

/** How a server is started or reached, with the values of its Secrets. */
export function launchOf(server: McpServer, env: Environment, cwd: string): McpLaunch {
  const { url, command = '', args = [], tools } = server
  const shown = tools === undefined ? {} : { tools }
  if (url !== undefined) return { url, headers: headersOf(server, env), ...shown }
  const base = passedOn.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  )
  return {
    command,
    args,
    env: { ...Object.fromEntries(base), ...valuesOf(server.env, env) },
    cwd,
    ...shown,
  }
}

/** A Secret that was made from a file often ends with a newline, which no header may have. */
function headersOf({ headers }: McpServer, env: Environment): Record<string, string> {
  const values = Object.entries(valuesOf(headers, env))
  return Object.fromEntries(values.map(([name, value]) => [name, value.trimEnd()]))
}

function valuesOf(settings: McpServer['env'] = [], env: Environment): Record<string, string> {
  return Object.fromEntries(
    settings.map(({ name, value, variable, prefix = '' }) => [
      name,
      variable === undefined ? (value ?? '') : `${prefix}${env[variable] ?? ''}`,
    ]),
  )
}
