import type { KindRef, KubeClient } from '@agents/kube'
import { kindRef } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'
import { nearestWord } from '../cli/nearest-word.ts'
import names from './generated/platform-kinds.json' with { type: 'json' }

/** What identifies a kind of the platform, without its schema, which takes long to load. */
interface NamedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
}

/** Every kind of the platform, in the order in which a person meets them. */
export const platformKinds = names as readonly NamedKind[]

/** Informal names of kinds, in addition to plural, singular and short names. */
const nicknames: Readonly<Record<string, string>> = {
  run: 'AgentRun',
  runs: 'AgentRun',
  provider: 'AgentProvider',
  providers: 'AgentProvider',
  spec: 'ImplementationSpec',
  implementation: 'ImplementationSpec',
  source: 'ImplementationSource',
  vcs: 'VersionControlProvider',
  approval: 'ApprovalPolicy',
}

export function namesOf({ plural, singular, shortNames, kind }: NamedKind): string[] {
  const aliases = Object.keys(nicknames).filter((word) => nicknames[word] === kind)
  return [plural, singular, ...shortNames, ...aliases]
}

/** A kind of the platform by its exact name: `AgentRun`. */
export function platformKind(name: string): NamedKind {
  const found = platformKinds.find(({ kind }) => kind === name)
  if (found === undefined) throw new Error(`the platform has no kind ${name}`)
  return found
}

/** A kind of the platform by any of its names, with or without its group: `runs`, `agentruns.agents.proompteng.ai`. */
export function findPlatformKind(name: string): NamedKind | undefined {
  const word = name.toLowerCase()
  return platformKinds.find(
    (kind) =>
      namesOf(kind).includes(word) ||
      word === `${kind.plural}.${kind.group}` ||
      word === `${kind.singular}.${kind.group}`,
  )
}

/** A kind by any name that the platform or the cluster knows. */
export async function findKind(
  name: string,
  client: KubeClient,
  options: { readonly signal?: AbortSignal } = {},
): Promise<KindRef> {
  const ours = findPlatformKind(name)
  if (ours !== undefined) return kindRef(ours)
  const word = name.toLowerCase()
  const served = await client.discovery.resources(options)
  const found = served.find(
    (each) =>
      each.resource === word ||
      each.kind.toLowerCase() === word ||
      `${each.kind.toLowerCase()}.${each.group}` === word ||
      each.shortNames.includes(word) ||
      `${each.resource}.${each.group}` === word,
  )
  if (found === undefined) throw unknownKind(name)
  const { group, version, resource, kind, namespaced } = found
  return { group, version, plural: resource, kind, namespaced }
}

function unknownKind(name: string) {
  const suggestion = nearestWord(name, platformKinds.flatMap(namesOf))
  return usageFailure(
    `unknown kind ${JSON.stringify(name)}: neither the platform nor the cluster has it`,
    ...(suggestion === undefined ? [] : [`Did you mean ${suggestion}?`]),
    `Kinds of the platform: ${platformKinds.map(({ plural }) => plural).join(', ')}.`,
  )
}
