import type { FieldError } from '@agents/crd'
import { invalidValue } from '../../status/field-errors.ts'
import { type Fields, number } from '../fields.ts'

/** Validates the security context of a pod or container. */
export function securityContextErrors(context: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['fsGroup', 'runAsUser', 'runAsGroup']) {
    const id = number(context, name)
    if (id !== undefined && (id < 0 || id > 2 ** 31 - 1)) {
      const why = 'must be between 0 and 2147483647, inclusive'
      errors.push(invalidValue(`${path}.${name}`, id, why))
    }
  }
  if (context.privileged === true && context.allowPrivilegeEscalation === false) {
    errors.push(
      invalidValue(
        path,
        printedContext(context),
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ),
    )
  }
  return errors
}

/** Formats the struct as Go prints it. */
function printedContext(context: Fields): Fields {
  const names = [
    'Capabilities',
    'Privileged',
    'SELinuxOptions',
    'WindowsOptions',
    'RunAsUser',
    'RunAsGroup',
    'RunAsNonRoot',
    'ReadOnlyRootFilesystem',
    'AllowPrivilegeEscalation',
    'ProcMount',
    'SeccompProfile',
    'AppArmorProfile',
  ]
  return Object.fromEntries(
    names.map((name) => [name, context[`${name[0]?.toLowerCase()}${name.slice(1)}`] ?? null]),
  )
}
