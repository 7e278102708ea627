import { livingConditions } from '@agents/status'
import { versionControlResolved } from '../../gate.ts'

export const agentConditions = livingConditions({
  gates: [
    {
      type: 'ProviderResolved',
      doc: { True: 'The AgentProvider is there.', False: 'The AgentProvider is not there yet.' },
      reasons: {
        Resolved: 'It is there.',
        MissingProvider: 'There is no AgentProvider of this name.',
        ProviderNotReady: 'The AgentProvider is there, but not ready.',
      },
    },
    {
      type: 'MemoryResolved',
      doc: {
        True: 'The Memory is there, or none is named.',
        False: 'The Memory is not there yet.',
      },
      reasons: {
        Resolved: 'It is there.',
        NotRequired: 'None is named.',
        MissingMemory: 'There is no Memory of this name.',
      },
    },
    versionControlResolved,
    {
      type: 'SystemPromptResolved',
      doc: {
        True: 'The default standing instructions can be read, or none are named.',
        False: 'The default standing instructions cannot be read yet.',
      },
      reasons: {
        Resolved: 'They can be read.',
        NotRequired: 'None are named.',
        MissingSystemPrompt: 'The object or key that should hold them is not there.',
        SecretNotAllowed: 'They are in a Secret that the agent itself does not allow.',
      },
    },
  ],
})
