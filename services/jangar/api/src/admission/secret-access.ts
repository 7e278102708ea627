import type { SecretAccess } from '@agents/crd'
import { mostDefaultPullSecrets, mostDefaultSecrets } from '../agents/agent/defaults.ts'
import { mostToolSecrets } from '../tools/tool/kind.ts'

/** Its credential is sent to the URLs of the provider, for every run that refers to it. */
export const versionControlProviderSecrets: SecretAccess = {
  secrets: [
    { path: 'spec.auth.token.secretRef.name' },
    { path: 'spec.auth.app.privateKeySecretRef.name' },
    { path: 'spec.auth.ssh.privateKeySecretRef.name' },
  ],
  decisive: [
    'spec.provider',
    'spec.apiBaseUrl',
    'spec.cloneBaseUrl',
    'spec.webBaseUrl',
    'spec.cloneProtocol',
    'spec.sshHost',
    'spec.sshUser',
    'spec.auth',
    'spec.branchPolicy',
    'spec.pushPolicy',
    'spec.repositoryPolicy',
    'spec.capabilities',
    // The branch that branchPolicy.allowBaseBranch opens.
    'spec.defaults.baseBranch',
    // Merges with the credential what only a person would merge otherwise.
    'spec.defaults.pullRequest.autoMerge',
  ],
  harmless: [
    'spec.defaults.branchTemplate',
    'spec.defaults.branchConflictSuffixTemplate',
    'spec.defaults.commitAuthorName',
    'spec.defaults.commitAuthorEmail',
    'spec.defaults.pullRequest.enabled',
    'spec.defaults.pullRequest.draft',
    'spec.defaults.pullRequest.titleTemplate',
    'spec.defaults.pullRequest.bodyTemplate',
    'spec.defaults.pullRequest.labels',
    'spec.defaults.pullRequest.reviewers',
  ],
}

/**
 * The system prompt and the default Secrets are passed to the program of `providerRef` in the default image, which
 * `config`, `env` and the other defaults configure, and which starts the programs of `mcpServers` beside it.
 */
export const agentSecrets: SecretAccess = {
  secrets: [
    {
      path: 'spec.defaults.systemPromptRef.name',
      kindPath: 'spec.defaults.systemPromptRef.kind',
    },
    {
      path: 'spec.defaults.secrets.name',
      list: { path: 'spec.defaults.secrets', maxItems: mostDefaultSecrets },
    },
    {
      path: 'spec.defaults.runtime.imagePullSecrets.name',
      list: {
        path: 'spec.defaults.runtime.imagePullSecrets',
        maxItems: mostDefaultPullSecrets,
      },
    },
  ],
  decisive: [
    'spec.defaults.systemPromptRef',
    'spec.defaults.secrets',
    'spec.defaults.model',
    'spec.defaults.parameters',
    'spec.defaults.repository',
    'spec.defaults.image',
    'spec.defaults.runtime',
    'spec.providerRef',
    'spec.config',
    'spec.env',
    'spec.mcpServers',
    // May tell the agent to run a script that comes with it.
    'spec.skills',
  ],
  harmless: [
    'spec.defaults.systemPrompt',
    'spec.defaults.timeoutSeconds',
    'spec.defaults.startTimeoutSeconds',
    'spec.defaults.retryOn',
    'spec.defaults.retryLimit',
    'spec.defaults.retryBackoffSeconds',
    'spec.defaults.resources',
    'spec.security',
    'spec.memoryRef',
    'spec.vcsRef',
  ],
}

/**
 * The Secret of the connection contains the whole connection string and so decides where the connection goes; `default`
 * decides who uses it. The token of the embeddings is sent to their URL.
 */
export const memorySecrets: SecretAccess = {
  secrets: [{ path: 'spec.connection.secretRef.name' }, { path: 'spec.embeddings.secretRef.name' }],
  decisive: ['spec.type', 'spec.connection', 'spec.embeddings', 'spec.default'],
  harmless: ['spec.capabilities'],
}

export const implementationSourceSecrets: SecretAccess = {
  secrets: [{ path: 'spec.auth.secretRef.name' }, { path: 'spec.auth.apiKeySecretRef.name' }],
  // The API key is sent to the URL, and nothing but the scope limits which issues it reads.
  decisive: ['spec.provider', 'spec.auth', 'spec.apiBaseUrl', 'spec.scope'],
  // `vcsRef` uses the credential of a provider, whose owner decides about repositories and capabilities.
  harmless: [
    'spec.webhook',
    'spec.vcsRef',
    'spec.sync',
    'spec.mapping',
    'spec.onClosed',
    // The Secret does not reach the runs.
    'spec.triggers',
    'spec.report',
  ],
}

/** The author of a ToolRun chooses parameters alone, so the Tool decides what its Secrets are used for. */
export const toolSecrets: SecretAccess = {
  secrets: [
    {
      path: 'spec.env.valueFrom.secretKeyRef.name',
      list: { path: 'spec.env', maxItems: mostToolSecrets, having: 'valueFrom' },
    },
  ],
  decisive: [
    'spec.image',
    'spec.command',
    'spec.args',
    'spec.parameters',
    'spec.env',
    'spec.serviceAccount',
    'spec.automountServiceAccountToken',
    'spec.podSecurityContext',
    'spec.workingDir',
  ],
  harmless: [
    'spec.resources',
    'spec.timeoutSeconds',
    'spec.startTimeoutSeconds',
    'spec.retries',
    'spec.retryBackoffSeconds',
    'spec.ttlSecondsAfterFinished',
  ],
}
