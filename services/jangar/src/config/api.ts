import { type ConfigOf, type ConfigRule, flag, port, text } from '@agents/config'
import type { grpc } from './grpc.ts'
import type { shared } from './shared.ts'

/** The HTTP API of the control plane. */
export const api = {
  enabled: flag('JANGAR_API_ENABLED', {
    doc: 'Whether the HTTP API is served. Callers need a token that the cluster accepts.',
    chart: 'api.enabled',
    fallback: false,
  }),
  host: text('JANGAR_API_HOST', {
    doc: 'The address to listen on for the HTTP API.',
    chart: 'api.enabled',
    fallback: '127.0.0.1',
  }),
  port: port('JANGAR_API_PORT', {
    doc: 'The port for the HTTP API.',
    chart: 'api.port',
    fallback: 8443,
  }),
  certificateFile: text('JANGAR_API_TLS_CERT_FILE', {
    doc: 'File with the certificate of the HTTP API and its issuers, in PEM. Read again when it changes.',
    chart: 'api.tlsSecret',
    optional: true,
  }),
  keyFile: text('JANGAR_API_TLS_KEY_FILE', {
    doc: 'File with the private key of that certificate, in PEM.',
    chart: 'api.tlsSecret',
    optional: true,
  }),
  plaintext: flag('JANGAR_API_PLAINTEXT', {
    doc: 'Whether the HTTP API is served without TLS. Anyone on the way can then read the tokens of callers: only behind a proxy on the same host.',
    chart: 'api.plaintext',
    fallback: false,
  }),
  consoleDir: text('JANGAR_API_CONSOLE_DIR', {
    doc: 'Folder with the built files of the console, which are served at /. If omitted, there is no console.',
    optional: true,
  }),
}

type Listens = ConfigOf<typeof shared> & {
  readonly grpc: ConfigOf<typeof grpc>
  readonly api: ConfigOf<typeof api>
}

export const apiRules: readonly ConfigRule<Listens>[] = [
  {
    about: ['JANGAR_API_TLS_CERT_FILE', 'JANGAR_API_TLS_KEY_FILE'],
    expected: 'both files, or neither and JANGAR_API_PLAINTEXT',
    fix: 'Set both files.',
    holds: ({ api: { enabled, certificateFile, keyFile, plaintext } }) =>
      !enabled ||
      (plaintext
        ? certificateFile === undefined && keyFile === undefined
        : certificateFile !== undefined && keyFile !== undefined),
  },
  {
    about: ['JANGAR_GRPC_TLS', 'JANGAR_API_TLS_CERT_FILE', 'JANGAR_API_TLS_KEY_FILE'],
    expected: 'the files of the certificate, which gRPC shares with the HTTP API',
    fix: 'Set both files.',
    holds: ({ grpc, api: { certificateFile, keyFile } }) =>
      !grpc.enabled || !grpc.tls || (certificateFile !== undefined && keyFile !== undefined),
  },
  {
    about: ['JANGAR_API_PORT', 'PORT', 'JANGAR_GRPC_PORT'],
    expected: 'a port of its own',
    fix: 'Set JANGAR_API_PORT to another port.',
    holds: ({ api: { enabled, port: own }, http, grpc }) =>
      !enabled || (own !== http.port && !(grpc.enabled && own === grpc.port)),
  },
]
