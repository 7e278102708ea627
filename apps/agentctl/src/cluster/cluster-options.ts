import type { ValuesOf } from '../cli/command.ts'

/** Which cluster, as whom and where: the same for every command that talks to one. */
export const clusterOptions = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAMESPACE',
    offers: { namesOf: 'namespaces' },
    help: "Where to look; else AGENTCTL_NAMESPACE, the context's own, or agents.",
  },
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'Which cluster; else KUBECONFIG, the platform of this machine if it runs, or ~/.kube/config.',
  },
  context: {
    type: 'string',
    value: 'NAME',
    help: 'Which context of the kubeconfig; else its current one.',
  },
  'state-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Where the platform of this machine keeps its state; else AGENTCTL_STATE_DIR, or .state in the checkout.',
  },
} as const

export type ClusterValues = ValuesOf<typeof clusterOptions>

export const outputOption = {
  output: {
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    choices: ['wide', 'json', 'yaml', 'name'],
    help: 'How to show it; else a table.',
  },
} as const
