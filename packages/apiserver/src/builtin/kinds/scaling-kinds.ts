import type { FieldError } from '@agents/crd'
import { isJsonObject } from '../../json/json-value.ts'
import { pathSegment } from '../../metadata/name-rules.ts'
import { invalidValue, requiredValue } from '../../status/field-errors.ts'
import { number, part, text } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { labelSelectorErrors } from '../validation/label-selector.ts'

export const autoscalerRules: KindRules = {
  nameRule: pathSegment,
  validate(autoscaler) {
    const spec = part(autoscaler, 'spec')
    const errors: FieldError[] = []
    const min = number(spec, 'minReplicas') ?? 1
    const max = number(spec, 'maxReplicas') ?? 0
    if (min < 1) {
      errors.push(invalidValue('spec.minReplicas', min, 'must be greater than or equal to 1'))
    }
    if (max < 1) {
      errors.push(requiredValue('spec.maxReplicas', 'must be set and greater than 0'))
    }
    if (max < min) {
      errors.push(
        invalidValue('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`'),
      )
    }
    const target = part(spec, 'scaleTargetRef')
    for (const name of ['kind', 'name']) {
      if (text(target, name) === '') errors.push(requiredValue(`spec.scaleTargetRef.${name}`, ''))
    }
    const version = text(target, 'apiVersion')
    if (!version.includes('/') && text(target, 'kind') !== 'ReplicationController') {
      const why = 'apiVersion must specify API group'
      errors.push(invalidValue('spec.scaleTargetRef.apiVersion', version, why))
    }
    return errors
  },
}

export const disruptionBudgetRules: KindRules = {
  generation: true,
  requiresVersion: true,
  validate(budget) {
    const spec = part(budget, 'spec')
    const errors: FieldError[] = []
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
      errors.push(
        invalidValue(
          'spec',
          {
            MinAvailable: spec.minAvailable,
            Selector: spec.selector ?? null,
            MaxUnavailable: spec.maxUnavailable,
            UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
          },
          'minAvailable and maxUnavailable cannot be both set',
        ),
      )
    }
    return isJsonObject(spec.selector)
      ? [...errors, ...labelSelectorErrors(spec.selector, 'spec.selector')]
      : errors
  },
}
