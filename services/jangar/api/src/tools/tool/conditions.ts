import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const toolConditions = livingConditions({
  gates: [
    validated({
      MissingImage: 'No image is specified.',
      MissingCommand: 'Neither command nor args are specified.',
      InvalidEnvironment: 'The name of a variable is invalid, reserved or used twice.',
      InvalidParameters: 'Two parameters have the same environment variable.',
      InvalidLimits: 'An amount in resources is not a valid quantity, or a time is negative.',
      InvalidSecurityContext: 'A user or group of the pod is reserved for the platform.',
      InvalidTemplate:
        'A template is invalid, refers to a value that a run may lack, or is part of a script.',
    }),
  ],
})
