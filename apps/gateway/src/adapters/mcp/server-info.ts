/** How this server names itself (`Implementation` of MCP). */
export const serverInfo = { name: 'uar', title: 'UAR tool plane', version: '0.1.0' };
