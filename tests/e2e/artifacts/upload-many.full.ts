import { testManyUploads } from './upload-many.ts'

testManyUploads(500)
