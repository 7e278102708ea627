import { type Container, type EnvVar, stringifyJson, type Volume } from '@agents/kube'
import {
  type DocumentsPlan,
  documentDigestsVariable,
  documentsPlanVariable,
} from '../../../../run-contract/document-digests.ts'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { containerNames } from '../../../jobs/container-names.ts'
import { literal } from '../../../jobs/literal.ts'
import { containerSecurity } from '../../../jobs/pod-security.ts'
import type { AgentsPorts } from '../../ports.ts'
import { type Found, found } from '../resolve/problem.ts'
import type { Refused, ResolvedWork } from '../resolve/resolution.ts'
import type { DocumentDelivery } from './attempt-documents.ts'
import type { FilledProvider } from './filled-provider.ts'
import { platformContainer, platformImage } from './platform-container.ts'
import { inputKey, inputsVolumeName, specPaths, specVolumeName } from './pod-volumes.ts'

/** How the pod makes sure that its documents are those that the Job was created with. */
export interface DocumentCheck extends Pick<DocumentDelivery, 'specVolume' | 'inputsVolume'> {
  /** Of the agent's container: agent-runner verifies the documents itself. */
  readonly agentEnv: readonly EnvVar[]
  /** For a program that runs without agent-runner: verifies the documents before it starts. */
  readonly container?: Container
  /** For that container. */
  readonly volumes: readonly Volume[]
}

/** Documents that are annotations need no check: they are part of the Job's template, which cannot be changed. */
export function documentCheck(
  work: Pick<ResolvedWork, 'submitsWork'>,
  { files }: FilledProvider,
  { specVolume, inputsVolume, digests }: DocumentDelivery,
  config: AgentsPorts['config'],
): Found<DocumentCheck, Refused> {
  const volumes = { specVolume, inputsVolume }
  if (digests === undefined) return found({ ...volumes, agentEnv: [], volumes: [] })
  if (work.submitsWork) {
    const inputs = files.map(({ path }, at) => [path, digests.inputs[inputKey(at)]] as const)
    const spec = Object.entries(digests.spec).map(([name, digest]) => [specPaths[name], digest])
    const all = stringifyJson(Object.fromEntries([...spec, ...inputs]))
    const agentEnv = [{ name: documentDigestsVariable, value: literal(all) }]
    return found({ ...volumes, agentEnv, volumes: [] })
  }
  const image = platformImage(config)
  if (image.kind !== 'found') return image
  const parts = [
    { name: specVolumeName, source: specVolume, digests: digests.spec },
    { name: inputsVolumeName, source: inputsVolume, digests: digests.inputs },
  ].filter((part) => Object.keys(part.digests).length > 0)
  const plan: DocumentsPlan = parts.flatMap((part) =>
    Object.entries(part.digests).map(([name, digest]) => ({
      from: `${podPaths.documentsSource}/${part.name}/${name}`,
      to: `${podPaths.documents}/${part.name}/${name}`,
      digest,
    })),
  )
  return found({
    // Only containers of this pod can write there.
    specVolume: { emptyDir: {} },
    inputsVolume: { emptyDir: {} },
    agentEnv: [],
    container: {
      ...platformContainer(containerNames.documents, image.value, ['agent-checkout', 'documents']),
      env: [
        { name: documentsPlanVariable, value: stringifyJson(plan) },
        { name: 'AGENT_TERMINATION_MESSAGE_PATH', value: podPaths.terminationMessage },
      ],
      volumeMounts: parts.flatMap(({ name }) => [
        { name: sourceOf(name), mountPath: `${podPaths.documentsSource}/${name}`, readOnly: true },
        { name, mountPath: `${podPaths.documents}/${name}` },
      ]),
      securityContext: containerSecurity(),
    },
    volumes: parts.map(({ name, source }) => ({ name: sourceOf(name), ...source })),
  })
}

function sourceOf(volume: string): string {
  return `${volume}-source`
}
