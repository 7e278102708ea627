import type { FieldError } from '@agents/crd'
import { invalidValue } from '../../rest/field-errors.ts'
import { type Fields, number } from '../fields.ts'

/** Of a pod or of one of its containers. */
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

/** As Go prints the struct. */
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
