// Node's HTTPS client: client.mjs ROOTS ADDRESS:PORT [GROUPS] prints the group and the page.
import { readFileSync } from "node:fs";
import { get } from "node:https";

const [roots, address, groups] = process.argv.slice(2);
const [host, port] = address.split(":");
const ecdhCurve = groups || undefined;
get({ host, port, servername: "localhost", ca: readFileSync(roots), ecdhCurve, agent: false },
    (response) => {
        console.log(`group ${response.socket.getEphemeralKeyInfo().name}`);
        response.pipe(process.stdout);
    }).on("error", (error) => {
        console.error(error);
        process.exitCode = 1;
    });
