import { type ConfigOf, type ConfigRule, flag, port, text } from '@agents/config'

/** The settings of the endpoint for audit events. */
export const auditWebhook = {
  enabled: flag('GITTARGET_AUDIT_WEBHOOK_ENABLED', {
    doc: 'Whether audit events of API servers are received, to learn the users of changes. They are sent to the path /audit.',
    chart: 'gitTargetController.auditWebhook.enabled',
    fallback: false,
  }),
  host: text('GITTARGET_AUDIT_WEBHOOK_HOST', {
    doc: 'Address to listen on for audit events. If unset, all addresses.',
    optional: true,
  }),
  port: port('GITTARGET_AUDIT_WEBHOOK_PORT', {
    doc: 'Port for audit events.',
    chart: 'gitTargetController.auditWebhook.port',
    fallback: 8443,
  }),
  certificateFile: text('GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE', {
    doc: 'File with the certificate of the audit webhook, in PEM. This file and the other three are read again when they change.',
    chart: 'gitTargetController.auditWebhook.tlsSecret',
    optional: true,
  }),
  keyFile: text('GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE', {
    doc: 'File with the private key of the certificate, in PEM.',
    chart: 'gitTargetController.auditWebhook.tlsSecret',
    optional: true,
  }),
  tokenFile: text('GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE', {
    doc: 'File with the bearer token that API servers must send; at least 16 characters.',
    chart: 'gitTargetController.auditWebhook.tokenSecret',
    optional: true,
  }),
  clientAuthorityFile: text('GITTARGET_AUDIT_WEBHOOK_CLIENT_CA_FILE', {
    doc: 'File with the certificate of an authority, in PEM. API servers must then have a client certificate of this authority, also if a token is set.',
    chart: 'gitTargetController.auditWebhook.clientCaSecret',
    optional: true,
  }),
}

export type AuditWebhookConfig = ConfigOf<typeof auditWebhook>

interface ConfigWithAuditWebhook {
  readonly http: { readonly port: number }
  readonly auditWebhook: AuditWebhookConfig
}

export const auditWebhookRules: readonly ConfigRule<ConfigWithAuditWebhook>[] = [
  {
    about: [
      'GITTARGET_AUDIT_WEBHOOK_ENABLED',
      'GITTARGET_AUDIT_WEBHOOK_TLS_CERT_FILE',
      'GITTARGET_AUDIT_WEBHOOK_TLS_KEY_FILE',
    ],
    expected: 'a certificate and its key, because API servers send audit events over TLS',
    fix: 'Set both files, or disable the audit webhook.',
    holds: ({ auditWebhook: { enabled, certificateFile, keyFile } }) =>
      !enabled || (certificateFile !== undefined && keyFile !== undefined),
  },
  {
    about: [
      'GITTARGET_AUDIT_WEBHOOK_ENABLED',
      'GITTARGET_AUDIT_WEBHOOK_TOKEN_FILE',
      'GITTARGET_AUDIT_WEBHOOK_CLIENT_CA_FILE',
    ],
    expected: 'a token or an authority for client certificates, or everybody could name authors',
    fix: 'Set one of the files, or disable the audit webhook.',
    holds: ({ auditWebhook: { enabled, tokenFile, clientAuthorityFile } }) =>
      !enabled || tokenFile !== undefined || clientAuthorityFile !== undefined,
  },
  {
    about: ['GITTARGET_AUDIT_WEBHOOK_ENABLED', 'GITTARGET_AUDIT_WEBHOOK_PORT', 'GITTARGET_PORT'],
    expected: 'different ports',
    fix: 'Choose another port for one of them.',
    holds: ({ http, auditWebhook: { enabled, port } }) => !enabled || port !== http.port,
  },
]
