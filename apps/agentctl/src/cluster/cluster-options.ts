import type { ValuesOf } from '../cli/command.ts'

/** Which cluster, as whom and where: the same for every command that talks to one. */
export const clusterOptions = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAMESPACE',
    offers: { namesOf: 'namespaces' },
    help: 'Namespace. Defaults to AGENTCTL_NAMESPACE, that of the context, or agents.',
  },
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig file. Defaults to KUBECONFIG, the running platform of this machine, or ~/.kube/config.',
  },
  context: {
    type: 'string',
    value: 'NAME',
    help: 'Context of the kubeconfig. Defaults to the current one.',
  },
  'state-dir': {
    type: 'string',
    value: 'DIR',
    help: 'State folder of the platform of this machine. Defaults to AGENTCTL_STATE_DIR, that of the local platform in KUBECONFIG, .state in a checkout, or ~/.local/state/agentctl.',
  },
} as const

export type ClusterValues = ValuesOf<typeof clusterOptions>

export const outputOption = {
  output: {
    type: 'string',
    short: 'o',
    value: 'FORMAT',
    choices: ['wide', 'json', 'yaml', 'name'],
    help: 'Output format. If omitted, a table is printed.',
  },
} as const
