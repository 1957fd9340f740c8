export { compact } from './compact.js';
export { withMember, withMeta } from './edit.js';
export { JsonText, argumentsDigest, stringifyWithText, textDigest } from './json-text.js';
export { scanJson, type RootKind, type Scan, type ScanLimits, type ScanProblem } from './scan.js';
export { elementSpans, elementTexts, memberSpans, memberString, memberText } from './skim.js';
export { unquote, type Span } from './token.js';
