import { parseArgs } from 'node:util'
import { type Grant, parseGrants } from './grant.ts'

interface DoctorArguments {
  readonly http: readonly URL[]
  readonly grpc: readonly string[]
  /** A file with the certificate that servers with TLS must have. */
  readonly certificateFile: string | undefined
  readonly grants: readonly Grant[] | undefined
  readonly crds: boolean
  readonly timeoutMs: number
  readonly asJson: boolean
}

export const doctorUsage = `Usage: doctor [--http URL]… [--grpc HOST:PORT]… [--certificate FILE] [--rbac --rules JSON] [--crds] [--timeout SECONDS] [-o json]

Checks whether a release works. The exit code is 1 if a check fails.

  --http URL        check that this readiness endpoint reports ready
  --grpc HOST:PORT  check that the gRPC server at this address reports SERVING; with TLS: https://HOST:PORT
  --certificate FILE  the certificate, in PEM, that servers with TLS must have; otherwise they are trusted by the usual authorities and by name
  --rbac            check that the current account has the permissions in --rules
  --rules JSON      [{"namespace": …, "rules": […]}], rules as in a Role; without a namespace they apply to all namespaces
  --crds            check that the cluster serves the kinds in the versions of this build
  --timeout TIME    repeat failed checks for this number of seconds, such as 60 or 60s; defaults to 0
  -o, --output json
`

/** Throws an Error that describes the invalid argument. */
export function parseDoctorArguments(args: readonly string[]): DoctorArguments | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      http: { type: 'string', multiple: true, default: [] },
      grpc: { type: 'string', multiple: true, default: [] },
      certificate: { type: 'string' },
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
  if (rbac !== (rules !== undefined)) throw new Error('--rbac and --rules must be used together')
  const seconds = /^(\d+)s?$/.exec(timeout)?.[1]
  if (seconds === undefined) throw new Error('--timeout must be a number of seconds, such as 60s')
  if (output !== 'text' && output !== 'json') throw new Error('--output must be text or json')
  const http = values.http.map(readinessUrl)
  const grpc = values.grpc.map(grpcAddress)
  if (http.length + grpc.length === 0 && !rbac && !crds)
    throw new Error('nothing to check: use --http, --grpc, --rbac or --crds')
  return {
    http,
    grpc,
    certificateFile: values.certificate,
    grants: rules === undefined ? undefined : parseGrants(rules),
    crds,
    timeoutMs: Number(seconds) * 1000,
    asJson: output === 'json',
  }
}

/** Error messages do not contain the URL, which may include a password. */
export function readinessUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error('--http must be an http or https URL')
  if (url.username || url.password)
    throw new Error('--http must not contain a user name or a password')
  return url
}

export function grpcAddress(text: string): string {
  const [, , port] =
    /^(?:https:\/\/)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error('--grpc must be an address such as agents-grpc.agents.svc:50051')
  }
  return text
}
