import type { ConfigMap, Volume } from '@agents/kube'
import { type DocumentDigests, digestOf } from '../../../../run-contract/document-digests.ts'
import type { Named } from '../../../jobs/attempt-objects.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused } from '../resolve/resolution.ts'

/** Texts that the pod of an attempt reads as files, by file name. */
interface AttemptDocuments {
  readonly spec: Readonly<Record<string, string>>
  readonly inputs: Readonly<Record<string, string>>
}

/** How the documents reach the pod. */
export interface DocumentDelivery {
  readonly specVolume: DocumentVolume
  readonly inputsVolume: DocumentVolume
  /** Of the pod. */
  readonly annotations: Readonly<Record<string, string>>
  readonly configMaps: readonly Named<ConfigMap>[]
  /** By file name. Only of ConfigMaps: anyone who may delete and create these can replace them. */
  readonly digests?: { readonly spec: DocumentDigests; readonly inputs: DocumentDigests }
}

type DocumentVolume = Omit<Volume, 'name'>

interface ConfigMapMetadata {
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
}

/**
 * Small documents are annotations of the pod, which a downward API volume shows as files: they need no request of their
 * own, and exist exactly as long as the pod. Larger ones are ConfigMaps.
 */
export function deliverDocuments(
  { spec, inputs }: AttemptDocuments,
  names: { readonly spec: string; readonly inputs: string },
  metadata: ConfigMapMetadata,
): Found<DocumentDelivery, Refused> {
  if (sizeOf(spec) + sizeOf(inputs) <= largestAnnotations) {
    return found({
      specVolume: downwardVolume(specPrefix, spec),
      inputsVolume: downwardVolume(inputsPrefix, inputs),
      annotations: { ...prefixed(specPrefix, spec), ...prefixed(inputsPrefix, inputs) },
      configMaps: [],
    })
  }
  const configMaps = [
    configMap(names.spec, metadata, spec),
    ...(Object.keys(inputs).length > 0 ? [configMap(names.inputs, metadata, inputs)] : []),
  ]
  return (
    sizeProblem(configMaps) ??
    found({
      specVolume: { configMap: { name: names.spec } },
      inputsVolume: { configMap: { name: names.inputs } },
      annotations: {},
      configMaps,
      digests: { spec: digestsOf(spec), inputs: digestsOf(inputs) },
    })
  )
}

function digestsOf(texts: Readonly<Record<string, string>>): DocumentDigests {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, digestOf(text)]))
}

/** In bytes. Job and pod both contain the annotations, and every watch of them carries them with each change. */
const largestAnnotations = 8 * 1024

const specPrefix = 'spec.agents.proompteng.ai/'
const inputsPrefix = 'inputs.agents.proompteng.ai/'

function prefixed(prefix: string, texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [prefix + name, text]))
}

function downwardVolume(prefix: string, texts: Readonly<Record<string, string>>): DocumentVolume {
  const items = Object.keys(texts).map((path) => ({
    path,
    fieldRef: { fieldPath: `metadata.annotations['${prefix}${path}']` },
  }))
  return { downwardAPI: { items } }
}

/** Immutable, as a record of the attempt's input. */
function configMap(
  name: string,
  metadata: ConfigMapMetadata,
  data: Readonly<Record<string, string>>,
): Named<ConfigMap> {
  return { metadata: { ...metadata, name }, immutable: true, data } as Named<ConfigMap>
}

/** In bytes: the limit of Kubernetes for the data of one ConfigMap. */
const largestConfigMap = 1024 * 1024

function sizeProblem(configMaps: readonly Named<ConfigMap>[]): Refused | undefined {
  for (const { metadata, data = {} } of configMaps) {
    const bytes = sizeOf(data)
    if (bytes <= largestConfigMap) continue
    return refused(
      'WorkTooLarge',
      `ConfigMap ${metadata.name} would have ${bytes} bytes; at most ${largestConfigMap} are allowed; shorten the text of the implementation or the input files of the AgentProvider`,
    )
  }
  return undefined
}

function sizeOf(texts: Readonly<Record<string, string>>): number {
  return Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}
