import { object, optional, string } from '@agents/crd'
import { secretRef } from '../../reference.ts'

/** The key if `secretRef` names none. */
export const defaultEmbeddingsKey = 'token'

export const embeddings = object(
  'Makes steps of kind MemoryOp search by meaning, too. For stores of type postgres that have the extension vector. If omitted, searches compare words only.',
  {
    url: string(
      'Base URL of an API with the path /embeddings of OpenAI, such as https://models.example.com/v1. Values and queries are sent there.',
      { pattern: '^https?://[^@/?#\\s]+(/[^?#\\s]*)?$', maxLength: 2048 },
    ),
    model: string('Name of the model.', { minLength: 1, maxLength: 256 }),
    secretRef: optional(
      secretRef(
        'The Secret with the token of the API. If omitted, none is sent.',
        `Key in the Secret. If omitted, defaults to ${defaultEmbeddingsKey}.`,
      ),
    ),
  },
)
