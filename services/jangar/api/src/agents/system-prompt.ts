import { optional, string, type ValidationRule } from '@agents/crd'
import { systemPromptRef } from '../reference.ts'

/** Standing instructions for the agent: inline or by reference, never both. */
export const systemPromptFields = {
  systemPrompt: optional(
    string('Standing instructions for the agent, given inline.', { maxLength: 16_384 }),
  ),
  systemPromptRef: optional(
    systemPromptRef('Where the standing instructions are stored, instead of inline.'),
  ),
}

export const oneSystemPrompt: ValidationRule = {
  rule: '!(has(self.systemPrompt) && has(self.systemPromptRef))',
  message: 'set systemPrompt or systemPromptRef, not both',
}
