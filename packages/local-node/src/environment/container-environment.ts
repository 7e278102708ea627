import type { Container, EnvVar, Pod } from '@agents/kube'
import { ConfigError } from '../pod-config/config-error.ts'
import type { PodObjects } from '../pod-config/pod-objects.ts'
import { expand } from './expand.ts'
import { fieldValue, type NodeFacts, resourceValue } from './field-value.ts'

type Environment = Record<string, string>

/** Variables of a container. `literal`: names of the variables whose value is in the pod itself. */
export interface ContainerEnvironment {
  readonly variables: Environment
  readonly literal: ReadonlySet<string>
}

/** A container's variables: those of `envFrom` first, then those of `env`, which may use earlier ones. */
export async function containerEnvironment(
  pod: Pod,
  container: Container,
  objects: PodObjects,
  node: NodeFacts,
): Promise<ContainerEnvironment> {
  const variables: Environment = await fromSources(pod, container, objects)
  const literal = new Set<string>()
  for (const variable of container.env ?? []) {
    const value = await variableValue(variable, { pod, container, objects, node }, (name) =>
      Object.hasOwn(variables, name) ? variables[name] : undefined,
    )
    if (value === undefined) continue
    set(variables, variable.name, value)
    if (variable.valueFrom === undefined) literal.add(variable.name)
    else literal.delete(variable.name)
  }
  return { variables, literal }
}

async function fromSources(
  pod: Pod,
  container: Container,
  objects: PodObjects,
): Promise<Environment> {
  const environment: Environment = {}
  const namespace = pod.metadata.namespace ?? ''
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const add = (data: Readonly<Record<string, string>>) => {
      for (const [key, value] of Object.entries(data)) set(environment, prefix + key, value)
    }
    if (configMapRef !== undefined) {
      const found = await objects.configMap(configMapRef.name)
      demand(found, configMapRef.optional, `configmap "${configMapRef.name}" not found`)
      add(found?.data ?? {})
    }
    if (secretRef !== undefined) {
      const found = await objects.secret(secretRef.name)
      demand(found, secretRef.optional, `secret "${namespace}/${secretRef.name}" not found`)
      add(decoded(found?.data ?? {}))
    }
  }
  return environment
}

interface Sources {
  readonly pod: Pod
  readonly container: Container
  readonly objects: PodObjects
  readonly node: NodeFacts
}

/** Undefined if it refers to an optional object that does not exist. */
async function variableValue(
  { value = '', valueFrom }: EnvVar,
  { pod, container, objects, node }: Sources,
  known: (name: string) => string | undefined,
): Promise<string | undefined> {
  if (valueFrom === undefined) return expand(value, known)
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = valueFrom
  const namespace = pod.metadata.namespace ?? ''
  if (configMapKeyRef !== undefined) {
    const { name, key, optional } = configMapKeyRef
    const found = await objects.configMap(name)
    demand(found, optional, `configmap "${name}" not found`)
    const data = found?.data?.[key]
    demand(data, optional, `couldn't find key ${key} in ConfigMap ${namespace}/${name}`)
    return data
  }
  if (secretKeyRef !== undefined) {
    const { name, key, optional } = secretKeyRef
    const found = await objects.secret(name)
    demand(found, optional, `secret "${name}" not found`)
    const data = found?.data?.[key]
    demand(data, optional, `couldn't find key ${key} in Secret ${namespace}/${name}`)
    return data === undefined ? undefined : Buffer.from(data, 'base64').toString()
  }
  if (fieldRef !== undefined) return fieldValue(pod, fieldRef.fieldPath, node)
  if (resourceFieldRef === undefined) return undefined
  const named = resourceFieldRef.containerName ?? container.name
  const of = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
    ({ name }) => name === named,
  )
  if (of === undefined) throw new ConfigError(`container ${named} not found`)
  return resourceValue(of, resourceFieldRef, node)
}

function demand(found: unknown, optional: boolean | undefined, problem: string): void {
  if (found === undefined && optional !== true) throw new ConfigError(problem)
}

/** Ignores names and values that a process cannot be given. */
function set(environment: Environment, name: string, value: string): void {
  if (name === '' || /[=\0]/.test(name) || value.includes('\0')) return
  Object.defineProperty(environment, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

function decoded(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}
