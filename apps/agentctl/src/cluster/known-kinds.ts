import type { AnyKind } from '@agents/crd'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds as agentsKinds } from '@agents/jangar-api'
import type { KindRef, KubeClient } from '@agents/kube'
import { kindRef } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'
import { nearestWord } from '../cli/nearest-word.ts'

/** Every kind of the platform, in the order in which a person meets them. */
export const platformKinds: readonly AnyKind[] = [...agentsKinds, ...mirrorKinds]

/** Words for kinds that people say, beside the plural, the singular and the short names. */
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

export function namesOf({ plural, singular, shortNames = [], kind }: AnyKind): string[] {
  const said = Object.keys(nicknames).filter((word) => nicknames[word] === kind)
  return [plural, singular, ...shortNames, ...said]
}

/** A kind of the platform by any of its names, with or without its group: `runs`, `agentruns.agents.proompteng.ai`. */
export function findPlatformKind(name: string): AnyKind | undefined {
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
  const meant = nearestWord(name, platformKinds.flatMap(namesOf))
  return usageFailure(
    `neither the platform nor the cluster knows a kind ${JSON.stringify(name)}`,
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    `Kinds of the platform: ${platformKinds.map(({ plural }) => plural).join(', ')}.`,
  )
}
