/** Identifies the spec of a rule: a rule that was deleted and created again has another UID. */
export interface RuleVersion {
  readonly uid: string | undefined
  readonly generation: number | undefined
}

/** The rules of a target by ID. */
export type RuleVersions = ReadonlyMap<string, RuleVersion>

/** Whether the versions have this version of a rule, or a newer one. */
export function hasVersion(
  versions: RuleVersions,
  id: string,
  { uid, generation = 0 }: RuleVersion,
): boolean {
  const known = versions.get(id)
  return known !== undefined && known.uid === uid && (known.generation ?? 0) >= generation
}

export function hasAllVersions(versions: RuleVersions, wanted: RuleVersions): boolean {
  return [...wanted].every(([id, version]) => hasVersion(versions, id, version))
}
