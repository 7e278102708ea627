/** Which claims of an ID token say who a person is, and what their names become in the cluster. */
export interface ClaimSettings {
  readonly usernameClaim: string
  readonly usernamePrefix: string
  readonly groupsClaim: string
  readonly groupsPrefix: string
  /** Groups that people keep, with the prefix. Others mean nothing to the cluster, and are dropped. */
  readonly groups: readonly string[]
}

export interface Identity {
  readonly username: string
  readonly groups: readonly string[]
}

/** The claims name nobody who may sign in. The message is for that person. */
export class RefusedIdentity extends Error {
  override name = 'RefusedIdentity'
}

type Claims = Readonly<Record<string, unknown>>

const longestName = 256
const mostGroups = 2_000

/** Reads user and groups. A provider cannot hand out names of Kubernetes itself, with a prefix or without. */
export function claimedIdentity(claims: Claims, settings: ClaimSettings): Identity {
  const username = usernameIn(claims, settings)
  const claimed = groupsIn(claims, settings.groupsClaim)
  const kept = new Set(settings.groups)
  const names = claimed.map((name) => settings.groupsPrefix + name)
  for (const name of [...claimed, ...names]) {
    if (isReserved(name)) throw new RefusedIdentity('a group of yours starts with "system:"')
  }
  return { username, groups: [...new Set(names.filter((name) => kept.has(name)))] }
}

/** Whether a name is one of Kubernetes itself, such as `system:masters`. */
function isReserved(name: string): boolean {
  return /^\s*system:/i.test(name)
}

/** Whether a name can be sent to the API server as it is. */
function isPlainName(name: string): boolean {
  return name.length <= longestName && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name)
}

function usernameIn(claims: Claims, { usernameClaim, usernamePrefix }: ClaimSettings): string {
  const claimed = own(claims, usernameClaim)
  if (typeof claimed !== 'string' || claimed === '') {
    throw new RefusedIdentity(`the provider does not say your name: no claim ${usernameClaim}`)
  }
  // Providers let people enter any address: only one that was verified is theirs.
  if (usernameClaim === 'email' && own(claims, 'email_verified') !== true) {
    throw new RefusedIdentity('the provider has not verified your email address')
  }
  const username = usernamePrefix + claimed
  if (isReserved(claimed) || isReserved(username)) {
    throw new RefusedIdentity('your name starts with "system:"')
  }
  if (!isPlainName(username)) {
    const limits = `at most ${longestName} characters of ASCII`
    throw new RefusedIdentity(`your name is not one that the cluster can have: ${limits}`)
  }
  return username
}

function groupsIn(claims: Claims, groupsClaim: string): readonly string[] {
  const claimed = own(claims, groupsClaim)
  if (claimed === undefined || claimed === null) return []
  const groups: readonly unknown[] = Array.isArray(claimed) ? claimed : [claimed]
  if (groups.length > mostGroups) {
    throw new RefusedIdentity(`the claim ${groupsClaim} has more than ${mostGroups} groups`)
  }
  return groups.map((name) => {
    if (typeof name === 'string') return name
    throw new RefusedIdentity(`the claim ${groupsClaim} is not a list of names`)
  })
}

function own(claims: Claims, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}
