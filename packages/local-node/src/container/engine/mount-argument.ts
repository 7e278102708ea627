import type { ResolvedMount } from '../../mount/resolve-mounts.ts'

type Mounted = Pick<ResolvedMount, 'source' | 'mountPath' | 'readOnly'>

/** The value of `--mount`: fields of a line of comma-separated values. */
export function mountArgument({ mountPath, source, readOnly }: Mounted): string {
  const fields = ['type=bind', `source=${source}`, `target=${mountPath}`]
  if (readOnly) fields.push('readonly')
  return fields
    .map((one) => (/[",\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one))
    .join(',')
}
