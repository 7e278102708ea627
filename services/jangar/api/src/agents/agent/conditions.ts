import { livingConditions } from '@agents/status'
import { versionControlResolved } from '../../gate.ts'

export const agentConditions = livingConditions({
  gates: [
    {
      type: 'ProviderResolved',
      doc: {
        True: 'The AgentProvider exists and is ready.',
        False: 'The AgentProvider does not exist or is not ready.',
      },
      reasons: {
        Resolved: 'The AgentProvider exists and is ready.',
        MissingProvider: 'The AgentProvider does not exist.',
        ProviderNotReady: 'The AgentProvider is not ready.',
      },
    },
    {
      type: 'MemoryResolved',
      doc: {
        True: 'The Memory exists, or none is specified.',
        False: 'The Memory does not exist.',
      },
      reasons: {
        Resolved: 'The Memory exists.',
        NotRequired: 'No Memory is specified.',
        MissingMemory: 'The Memory does not exist.',
      },
    },
    versionControlResolved,
    {
      type: 'SystemPromptResolved',
      doc: {
        True: 'The default system prompt exists, or none is specified.',
        False: 'The default system prompt cannot be resolved.',
      },
      reasons: {
        Resolved: 'The system prompt exists.',
        NotRequired: 'No system prompt is specified.',
        MissingSystemPrompt: 'The object or key of the system prompt does not exist.',
        SecretNotAllowed: 'The system prompt is in a Secret that the agent does not allow.',
      },
    },
  ],
})
