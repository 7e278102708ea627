import { type ConfigOf, type ConfigRule, flag, port, text } from '@agents/config'
import type { shared } from './shared.ts'

/** The gRPC server of the control plane. */
export const grpc = {
  enabled: flag('JANGAR_GRPC_ENABLED', {
    doc: 'Whether gRPC is served.',
    chart: 'grpc.enabled',
    fallback: true,
  }),
  host: text('JANGAR_GRPC_HOST', {
    doc: 'The address to listen on for gRPC.',
    chart: 'grpc.host',
    fallback: '127.0.0.1',
  }),
  port: port('JANGAR_GRPC_PORT', {
    doc: 'The port for gRPC.',
    chart: 'grpc.port',
    fallback: 50_051,
  }),
  tls: flag('JANGAR_GRPC_TLS', {
    doc: 'Whether gRPC is served with the certificate of the HTTP API. Without it, and unless JANGAR_GRPC_HOST is a loopback address, methods that take tokens of the cluster are refused.',
    chart: 'grpc.tls',
    fallback: false,
  }),
  token: text('JANGAR_GRPC_TOKEN', {
    doc: 'Token that clients must send for the version and the status, as `authorization: Bearer …` or `x-jangar-token`. Health checks need none, and the other methods a token of the cluster. If unset, both are answered only if JANGAR_GRPC_HOST is a loopback address.',
    secret: true,
    optional: true,
    expected: 'visible ASCII characters, since it is sent in a header',
    check: (token) => (/^[\x21-\x7e]+$/.test(token) ? undefined : 'it contains other characters'),
  }),
}

/** Facts about the build of the image. */
export const build = {
  sha: text('JANGAR_BUILD_SHA', {
    doc: 'The commit that the image was built from, reported by the API.',
    optional: true,
  }),
  time: text('JANGAR_BUILD_TIME', {
    doc: 'When the image was built, reported by the API.',
    optional: true,
  }),
}

type Listens = ConfigOf<typeof shared> & { readonly grpc: ConfigOf<typeof grpc> }

export const grpcRules: readonly ConfigRule<Listens>[] = [
  {
    about: ['JANGAR_GRPC_PORT', 'PORT'],
    expected: 'a port other than PORT, which serves HTTP',
    fix: 'Set grpc.port to another port.',
    holds: (config) => !config.grpc.enabled || !isSameAddress(config),
  },
]

function isSameAddress({ grpc, http }: Listens): boolean {
  if (grpc.port !== http.port) return false
  const isEvery = (host: string | undefined): boolean =>
    host === undefined || host === '0.0.0.0' || host === '::'
  return isEvery(grpc.host) || isEvery(http.host) || grpc.host === http.host
}
