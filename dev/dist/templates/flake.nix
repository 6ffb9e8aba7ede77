# The flake of version @VERSION@, from `dev/dist/build flake`: the static programs of the release.
{
  description = "Hybrid Public Key Encryption for blobs, files and logs";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      version = "@VERSION@";
      archives = {
        x86_64-linux = {
          target = "x86_64-unknown-linux-musl";
          hash = "@X86_64@";
        };
        aarch64-linux = {
          target = "aarch64-unknown-linux-musl";
          hash = "@AARCH64@";
        };
      };
      package =
        system: archive:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "pqseal";
          inherit version;
          src = pkgs.fetchurl {
            url = "https://github.com/pqseal/pqseal/releases/download/v${version}/pqseal-${version}-${archive.target}.tar.gz";
            inherit (archive) hash;
          };
          dontStrip = true;
          installPhase = ''
            mkdir -p $out/share/zsh $out/share/fish
            cp -R bin $out
            cp -R share/man share/doc share/bash-completion $out/share
            cp -R share/zsh/vendor-completions $out/share/zsh/site-functions
            cp -R share/fish/vendor_completions.d $out/share/fish
          '';
          meta = {
            description = "Hybrid Public Key Encryption for blobs, files and logs";
            homepage = "https://github.com/pqseal/pqseal";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "pqseal";
            platforms = builtins.attrNames archives;
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
