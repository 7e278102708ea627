import { type ConfigOf, type ConfigRule, flag, port, text } from '@agents/config'
import type { shared } from './shared.ts'

/** The control plane's second door, for programs. */
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
  token: text('JANGAR_GRPC_TOKEN', {
    doc: 'What callers must send, as `authorization: Bearer …` or `x-jangar-token`; health can be asked without. Not set: whoever reaches the port may call.',
    secret: true,
    optional: true,
    expected: 'visible ASCII characters, as it travels in a header',
    check: (token) => (/^[\x21-\x7e]+$/.test(token) ? undefined : 'it has others'),
  }),
}

/** What the build of an image knows of itself. */
export const build = {
  sha: text('JANGAR_BUILD_SHA', {
    doc: 'The commit that the image was built from, to be told to who asks.',
    optional: true,
  }),
  time: text('JANGAR_BUILD_TIME', {
    doc: 'When the image was built, to be told to who asks.',
    optional: true,
  }),
}

type Listens = ConfigOf<typeof shared> & { readonly grpc: ConfigOf<typeof grpc> }

export const grpcRules: readonly ConfigRule<Listens>[] = [
  {
    about: ['JANGAR_GRPC_PORT', 'PORT'],
    expected: 'another port than PORT, on which HTTP is served',
    fix: 'Set grpc.port to a free one.',
    holds: (config) => !config.grpc.enabled || !isSameDoor(config),
  },
]

function isSameDoor({ grpc, http }: Listens): boolean {
  if (grpc.port !== http.port) return false
  const isEvery = (host: string | undefined): boolean =>
    host === undefined || host === '0.0.0.0' || host === '::'
  return isEvery(grpc.host) || isEvery(http.host) || grpc.host === http.host
}
