import { unsupportedValue } from '../../status/field-errors.ts'
import { part, text } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'

const types = ['Exempt', 'Limited']

export const priorityLevelRules: KindRules = {
  generation: true,
  validate(level) {
    const type = text(part(level, 'spec'), 'type')
    return types.includes(type) ? [] : [unsupportedValue('spec.type', type, types)]
  },
}
