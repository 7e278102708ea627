import { type Container, type EnvVar, stringifyJson, type Volume } from '@agents/kube'
import {
  type DocumentDigests,
  type DocumentsPlan,
  documentDigestsVariable,
  documentsPlanVariable,
} from '../../../../run-contract/document-digests.ts'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { containerNames } from '../../../jobs/container-names.ts'
import { literal } from '../../../jobs/literal.ts'
import { containerSecurity } from '../../../jobs/pod-security.ts'
import type { AgentsPorts } from '../../ports.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused, ResolvedWork } from '../resolve/resolution.ts'
import type { DocumentDelivery } from './attempt-documents.ts'
import type { FilledProvider } from './filled-provider.ts'
import type { VerifiedVolume } from './mapped-volumes.ts'
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

/** Files of a ConfigMap that are verified and copied. */
interface VerifiedPart {
  /** Of the volume that gets the copies. */
  readonly name: string
  readonly source: Omit<Volume, 'name'>
  /** By file name. */
  readonly digests: DocumentDigests
}

/**
 * Documents that are annotations need no check: they are part of the Job's template, which cannot be changed. Files of
 * ConfigMaps that an approval covers are copied for every program: a mounted ConfigMap changes while it runs.
 */
export function documentCheck(
  work: Pick<ResolvedWork, 'submitsWork'>,
  { files }: FilledProvider,
  { specVolume, inputsVolume, digests }: DocumentDelivery,
  verified: readonly VerifiedVolume[],
  config: AgentsPorts['config'],
): Found<DocumentCheck, Refused> {
  const own: VerifiedPart[] =
    digests === undefined || work.submitsWork
      ? []
      : [
          { name: specVolumeName, source: specVolume, digests: digests.spec },
          { name: inputsVolumeName, source: inputsVolume, digests: digests.inputs },
        ].filter((part) => Object.keys(part.digests).length > 0)
  const parts = [...own, ...verified.map(verifiedPart)]
  const check = {
    // Only containers of this pod can write to empty volumes.
    ...(own.length === 0
      ? { specVolume, inputsVolume }
      : { specVolume: copies, inputsVolume: copies }),
    agentEnv: work.submitsWork && digests !== undefined ? digestsVariable(files, digests) : [],
  }
  if (parts.length === 0) return found({ ...check, volumes: [] })
  const image = platformImage(config)
  if (image.kind !== 'found') return image
  return verifyingContainer(parts, image.value, check)
}

const copies = { emptyDir: {} }

function verifiedPart({ volume, configMap, item, digests }: VerifiedVolume): VerifiedPart {
  const source = { configMap: { name: configMap, ...(item && { items: [item] }) } }
  return { name: volume, source, digests }
}

function digestsVariable(
  files: FilledProvider['files'],
  digests: NonNullable<DocumentDelivery['digests']>,
): EnvVar[] {
  const inputs = files.map(({ path }, at) => [path, digests.inputs[inputKey(at)]] as const)
  const spec = Object.entries(digests.spec).map(([name, digest]) => [specPaths[name], digest])
  const all = stringifyJson(Object.fromEntries([...spec, ...inputs]))
  return [{ name: documentDigestsVariable, value: literal(all) }]
}

/** In bytes. A kernel takes no variable of more than 128 KiB. */
const largestPlan = 120_000

function verifyingContainer(
  parts: readonly VerifiedPart[],
  image: string,
  check: Pick<DocumentCheck, 'specVolume' | 'inputsVolume' | 'agentEnv'>,
): Found<DocumentCheck, Refused> {
  const plan: DocumentsPlan = parts.flatMap((part) =>
    Object.entries(part.digests).map(([name, digest]) => ({
      from: `${podPaths.documentsSource}/${part.name}/${name}`,
      to: `${podPaths.documents}/${part.name}/${name}`,
      digest,
    })),
  )
  const planText = stringifyJson(plan)
  if (Buffer.byteLength(planText) > largestPlan) {
    return refused(
      'WorkTooLarge',
      `the ConfigMaps of the run have ${plan.length} files, too many to verify each; use fewer keys`,
    )
  }
  return found({
    ...check,
    container: {
      ...platformContainer(containerNames.documents, image, ['agent-checkout', 'documents']),
      env: [
        { name: documentsPlanVariable, value: literal(planText) },
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
