import { optional, string, type ValidationRule } from '@agents/crd'
import { systemPromptRef } from '../reference.ts'

/** The system prompt of the agent: inline or by reference, not both. */
export const systemPromptFields = {
  systemPrompt: optional(string('System prompt of the agent, inline.', { maxLength: 16_384 })),
  systemPromptRef: optional(systemPromptRef('Reference to the system prompt, instead of inline.')),
}

export const oneSystemPrompt: ValidationRule = {
  rule: '!(has(self.systemPrompt) && has(self.systemPromptRef))',
  message: 'set systemPrompt or systemPromptRef, not both',
}
