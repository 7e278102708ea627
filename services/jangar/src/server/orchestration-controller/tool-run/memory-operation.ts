import {
  largestMemoryValue,
  type Memory,
  orchestrationRun,
  type Tool,
  type ToolRun,
} from '@agents/jangar-api'
import { controllerOfKind, formatKey } from '@agents/kube'
import { type MemoryRequest, memoryVariables } from '../../../run-contract/memory/memory-request.ts'
import { connectionKey } from '../../agents-controller/memory/connection-string.ts'
import { embeddingsToken } from '../../agents-controller/memory/embeddings-token.ts'
import {
  type DependencyProblem,
  findNamed,
  keyMissing,
  notReady,
} from '../../kubernetes/dependency.ts'
import { refused, type ToolResolution, type ToolResolutionPorts } from './tool-resolution.ts'
import { secretsProblem } from './tool-secrets.ts'
import { settingsOf } from './tool-settings.ts'

type Operation = NonNullable<ToolRun['spec']['memory']>

/** What the container of an operation requests. */
export const memoryRequests = { cpu: '10m', memory: '64Mi' } as const

/** The program gives up earlier; this is for a pod that hangs. */
const timeoutSeconds = 300

/**
 * Turns an operation on a Memory into a program of the platform, in a pod in the namespace of the run: the database is
 * reached from there and with the Secret of that namespace, not with the network and the rights of the controllers.
 */
export function resolveMemoryOperation(
  run: ToolRun,
  operation: Operation,
  ports: ToolResolutionPorts,
): ToolResolution {
  // Without admission policies, whoever may create ToolRuns could set the field.
  if (controllerOfKind(run, orchestrationRun) === undefined) {
    return refused('MemoryRefused', 'spec.memory is for steps of kind MemoryOp only')
  }
  const problem = valueProblem(operation)
  if (problem !== undefined) return refused('InvalidParameters', problem)
  const found = memoryOf(run, operation, ports)
  if (found.kind !== 'found') return found
  const memory = found.value
  const { name } = memory.metadata
  if (memory.spec.type !== 'postgres') {
    return refused(
      'MemoryRefused',
      `Memory ${name} is of type ${memory.spec.type}; steps can use Memories of type postgres only`,
    )
  }
  const token = embeddingsToken(memory)
  const forbidden =
    secretsProblem(
      {
        run,
        subjects: [],
        secrets: [memory.spec.connection.secretRef.name],
        purpose: `which contains the connection string of Memory ${name}`,
      },
      ports,
    ) ??
    secretsProblem(
      {
        run,
        subjects: [],
        secrets: token === undefined ? [] : [token.name],
        purpose: `which contains the token of the embeddings of Memory ${name}`,
      },
      ports,
    )
  return forbidden ?? notReady('Memory', memory) ?? programOf(run, operation, memory, ports)
}

function memoryOf(
  { metadata: { namespace } }: ToolRun,
  { memoryRef }: Operation,
  { caches: { memories } }: ToolResolutionPorts,
): { readonly kind: 'found'; readonly value: Memory } | DependencyProblem {
  if (memoryRef !== undefined) {
    return findNamed(memories, { namespace, name: memoryRef.name }, 'the run')
  }
  const [first] = memories
    .list()
    .filter(({ metadata, spec }) => metadata.namespace === namespace && spec.default === true)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  if (first !== undefined) return { kind: 'found', value: first }
  return {
    kind: 'waiting',
    reason: 'DependencyMissing',
    message:
      'the namespace has no default Memory; create one, or name one in memoryRef of the step',
  }
}

/** Messages show no values. */
function valueProblem({ key = '', value = '', query = '' }: Operation): string | undefined {
  if ([key, value, query].some((text) => text.includes('\0'))) {
    return 'a text contains a NUL character; remove it'
  }
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= largestMemoryValue) return undefined
  return `the value has ${bytes} bytes as JSON; at most ${largestMemoryValue} are allowed`
}

function programOf(
  run: ToolRun,
  { operation, key, value, query, limit }: Operation,
  memory: Memory,
  ports: ToolResolutionPorts,
): ToolResolution {
  const { runner, pod } = ports.config
  const image = runner.publisherImage ?? pod?.image ?? runner.image ?? runner.fallbackImage
  if (image === undefined) {
    const message =
      'the platform has no image for the program; ask an administrator to set JANGAR_AGENT_PUBLISHER_IMAGE'
    return refused('MemoryRefused', message)
  }
  const { namespace = '', name } = memory.metadata
  const { name: secret, key: chosen } = memory.spec.connection.secretRef
  const cached = ports.caches.secrets.get(formatKey({ namespace, name: secret }))
  const secretKey = chosen ?? (cached && connectionKey(cached)) ?? 'url'
  const { embeddings } = memory.spec
  const token = embeddingsToken(memory)
  const references = [
    { variable: memoryVariables.connection, kind: 'Secret', name: secret, key: secretKey } as const,
    ...(token === undefined ? [] : [{ variable: memoryVariables.embeddingsToken, ...token }]),
  ]
  for (const reference of references) {
    const missing = keyMissing(ports, namespace, reference, `Memory ${name}`)
    if (missing !== undefined) return missing
  }
  const request: MemoryRequest = {
    dataset: `${namespace}/${name}`,
    operation,
    ...(key !== undefined && { key }),
    ...(value !== undefined && { value }),
    ...(query !== undefined && { query }),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(embeddings && { embeddings: { url: embeddings.url, model: embeddings.model } }),
  }
  const tool = {
    metadata: { ...memory.metadata },
    spec: {
      image,
      command: ['agent-memory'],
      env: references.map(({ variable, name: secretName, key: keyName }) => ({
        name: variable,
        valueFrom: { secretKeyRef: { name: secretName, key: keyName } },
      })),
      resources: { requests: memoryRequests },
      timeoutSeconds,
    },
  } as unknown as Tool
  return {
    kind: 'resolved',
    work: {
      tool,
      memory: name,
      image,
      command: ['agent-memory'],
      args: [],
      values: [[memoryVariables.request, JSON.stringify(request)]],
      serviceAccount: runner.serviceAccount,
      ...settingsOf(run, tool),
    },
  }
}
