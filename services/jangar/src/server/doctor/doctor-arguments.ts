import { parseArgs } from 'node:util'
import { type Grant, parseGrants } from './grant.ts'

export interface DoctorArguments {
  readonly http: readonly URL[]
  readonly grpc: readonly string[]
  readonly grants: readonly Grant[] | undefined
  readonly crds: boolean
  readonly timeoutMs: number
  readonly asJson: boolean
}

export const doctorUsage = `Usage: doctor [--http URL]… [--grpc HOST:PORT]… [--rbac --rules JSON] [--crds] [--timeout SECONDS] [-o json]

Says whether a release works, and ends with 1 if it does not.

  --http URL        the process behind it says that it is ready
  --grpc HOST:PORT  the server behind it says that it is serving
  --rbac            the account that this runs as has the rights of --rules
  --rules JSON      [{"namespace": …, "rules": […]}], rules as in a Role; without a namespace: in all of them
  --crds            the cluster serves the kinds of this build
  --timeout TIME    seconds that all of it may take to come up, as 60 or 60s; 0 unless given
  -o, --output json
`

/** Throws an Error that says what was not understood. */
export function parseDoctorArguments(args: readonly string[]): DoctorArguments | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      http: { type: 'string', multiple: true, default: [] },
      grpc: { type: 'string', multiple: true, default: [] },
      rbac: { type: 'boolean', default: false },
      rules: { type: 'string' },
      crds: { type: 'boolean', default: false },
      timeout: { type: 'string', default: '0' },
      output: { type: 'string', short: 'o', default: 'text' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const { rbac, rules, crds, timeout, output } = values
  if (rbac !== (rules !== undefined)) throw new Error('--rbac and --rules belong together')
  const seconds = /^(\d+)s?$/.exec(timeout)?.[1]
  if (seconds === undefined) throw new Error('--timeout is a number of seconds, such as 60s')
  if (output !== 'text' && output !== 'json') throw new Error('--output is text or json')
  const http = values.http.map(readinessUrl)
  const grpc = values.grpc.map(grpcAddress)
  if (http.length + grpc.length === 0 && !rbac && !crds) throw new Error('nothing to look at')
  return {
    http,
    grpc,
    grants: rules === undefined ? undefined : parseGrants(rules),
    crds,
    timeoutMs: Number(seconds) * 1000,
    asJson: output === 'json',
  }
}

/** Does not repeat what it refuses: there may be a password in it. */
export function readinessUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('--http is no http(s) URL')
  if (url.username || url.password) throw new Error('--http has a name or a password in it')
  return url
}

export function grpcAddress(text: string): string {
  const [, , port] = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error('--grpc is no address such as agents-grpc.agents.svc:50051')
  }
  return text
}
